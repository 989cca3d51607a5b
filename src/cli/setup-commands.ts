import type { Command } from "commander";
import { type InitFlags, initOptions, withOptions } from "./options/options.ts";

/** The commands that a migration begins with. */
export function addSetupCommands(program: Command): void {
  withOptions(program.command("init"), initOptions)
    .description("Look at extracts; write a mapping and a configuration file as good as can be guessed. No network.")
    .argument("[sources...]", "all files of the extract, or globs")
    .action(async (sources: string[], flags: InitFlags) =>
      (await import("./actions/setup-actions.ts")).initAction(sources, flags),
    );
}
