import type { Command } from "commander";
import { CREDENTIAL_VARIABLES } from "./credential-variables.ts";

/** Where the value of an option comes from, as a person knows the place. */
export type OptionOrigin =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "environment"; readonly variable: string };

/** Of the options of a command that were given, by their names (`maxErrors`): on the command line or by a variable. */
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

/** The variables of the environment that any command of the program reads. */
export function knownVariables(program: Command): readonly string[] {
  const own = program.options.flatMap(({ envVar }) => envVar ?? []);
  const below = program.commands.flatMap(knownVariables);
  return [...new Set([...own, ...below, ...Object.keys(CREDENTIAL_VARIABLES)])];
}
