import type { Command } from "commander";
import { CREDENTIAL_VARIABLES, OPERATOR_VARIABLE } from "./credential-variables.ts";

/** The origin of an option's value, as shown to the user. */
export type OptionOrigin =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "environment"; readonly variable: string };

/** Returns the origin of each given option by name (`maxErrors`): the command line or an environment variable. */
export function optionOrigins(command: Command): ReadonlyMap<string, OptionOrigin> {
  const origins = new Map<string, OptionOrigin>();
  for (const option of command.options) {
    const name = option.attributeName();
    const source = command.getOptionValueSource(name);
    if (source === "cli") origins.set(name, { kind: "flag", flag: option.long ?? option.flags });
    if (source === "env") origins.set(name, { kind: "environment", variable: option.envVar ?? "" });
  }
  return origins;
}

/** Whether the option with this name was given on the command line, not by an environment variable. */
export function isFlagGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === "cli";
}

/**
 * For a command that uses the platform of a run: discards `--target` and `--base-url` from environment variables, which
 * may name the platform of another run.
 */
export function discardPlatformVariables(command: Command): void {
  for (const name of ["target", "baseUrl"]) if (!isFlagGiven(command, name)) command.setOptionValue(name, undefined);
}

export function givenFlags(command: Command): readonly { readonly name: string; readonly flag: string }[] {
  const given = [...optionOrigins(command)];
  return given.flatMap(([name, origin]) => (origin.kind === "flag" ? [{ name, flag: origin.flag }] : []));
}

/** Returns the environment variables that any command of the program reads. */
export function knownVariables(program: Command): readonly string[] {
  const own = program.options.flatMap(({ envVar }) => envVar ?? []);
  const below = program.commands.flatMap(knownVariables);
  return [...new Set([...own, ...below, ...Object.keys(CREDENTIAL_VARIABLES), OPERATOR_VARIABLE])];
}
