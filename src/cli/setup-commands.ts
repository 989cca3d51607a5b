import type { Command } from "commander";
import type { Session } from "./process/session.ts";
import { type Flags, type InitFlags, initOptions, options, withOptions } from "./options/options.ts";

/** Adds the commands at the start of a migration. */
export function addSetupCommands(program: Command, session: Session): void {
  withOptions(program.command("init"), initOptions)
    .description("Draft a mapping and a configuration file from extracts. Works offline.")
    .argument("[sources...]", "all files of the extract, or globs")
    .action(async (sources: string[], flags: InitFlags) =>
      (await import("./actions/setup-actions.ts")).initAction(sources, flags, session),
    );

  const schema = program
    .command("schema")
    .description("Print JSON Schemas for completion and validation in editors. Works offline.")
    .exitOverride();
  withOptions(schema.command("config"), [])
    .description("Print the JSON Schema of migrate.yaml.")
    .action(async (flags: Flags) => (await import("./actions/setup-actions.ts")).configSchemaAction(flags, session));
  withOptions(schema.command("mapping"), options("config", "contract", "cache", "operation"))
    .description("Print the JSON Schema of a mapping. With a contract, it includes the contract's fields.")
    .action(async (flags: Flags) => (await import("./actions/setup-actions.ts")).mappingSchemaAction(flags, session));
  for (const command of schema.commands) command.exitOverride();
}
