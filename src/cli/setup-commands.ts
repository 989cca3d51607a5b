import type { Command } from "commander";
import type { Session } from "./process/session.ts";
import { type Flags, type InitFlags, initOptions, options, withOptions } from "./options/options.ts";

/** The commands that a migration begins with. */
export function addSetupCommands(program: Command, session: Session): void {
  withOptions(program.command("init"), initOptions)
    .description("Look at extracts; write a mapping and a configuration file as good as can be guessed. No network.")
    .argument("[sources...]", "all files of the extract, or globs")
    .action(async (sources: string[], flags: InitFlags) =>
      (await import("./actions/setup-actions.ts")).initAction(sources, flags, session),
    );

  const schema = program
    .command("schema")
    .description("JSON Schemas for editors, that complete and check what is typed. No network.")
    .exitOverride();
  withOptions(schema.command("config"), [])
    .description("Of migrate.yaml.")
    .action(async (flags: Flags) => (await import("./actions/setup-actions.ts")).configSchemaAction(flags, session));
  withOptions(schema.command("mapping"), options("config", "contract", "cache", "operation"))
    .description("Of a mapping: with a contract, of its fields too.")
    .action(async (flags: Flags) => (await import("./actions/setup-actions.ts")).mappingSchemaAction(flags, session));
  for (const command of schema.commands) command.exitOverride();
}
