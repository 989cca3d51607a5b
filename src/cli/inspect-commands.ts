import type { Command } from "commander";
import { givenFlags } from "./options/option-origin.ts";
import { optionsOf } from "./options/option-table.ts";
import { CHANGES, COMPARE, DOCTOR, EXCLUDE, FIELDS, OPEN, STATUS } from "./options/run-option-tables.ts";
import type { Session } from "./process/session.ts";
import {
  checkOptions,
  type CorrectionFlags,
  correctionOptions,
  type DoctorFlags,
  type DocumentFlags,
  type FieldFlags,
  type Flags,
  formatOption,
  type InspectFlags,
  jobOptions,
  type ChangesFlags,
  type CompareFlags,
  type ExcludeFlags,
  type OpenFlags,
  options,
  type ProofFlags,
  proofOptions,
  reportOptions,
  type RunFilesFlags,
  settingOptions,
  type StatusFlags,
  storeOptions,
  targetOptions,
  withOptions,
} from "./options/options.ts";

/** Adds the commands that inspect records, documents, the ledger and contracts. */
export function addInspectCommands(program: Command, session: Session): void {
  withOptions(program.command("status"), [...options("config", "ledger"), formatOption(), ...optionsOf(STATUS)])
    .description("Show the state of the migration and its runs, or of one run. Works offline.")
    .argument("[run]", "id of one run, or its first characters (default: all runs)")
    .action(async (run: string | undefined, flags: StatusFlags) =>
      (await import("./actions/inspect-actions.ts")).statusAction(run, flags, session),
    );

  addMigrationCommands(program, session);
  withOptions(program.command("explain"), [...options("config", "cache", "ledger", "showValues"), formatOption()])
    .description("Show everything about one record: rows, payload with origins, attempts, replies. Works offline.")
    .argument("<key>", "business key of the record")
    .option("--run <id>", "run to search (default: the latest that contains the key)")
    .action(async (key: string, flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).explainAction(key, flags, session),
    );

  withOptions(program.command("preview"), [...jobOptions, ...options("showValues"), formatOption()])
    .description(
      "Show payloads as they would be sent, with the origin of every value (default: the first payload). Works offline.",
    )
    .argument("[sources...]", "files, globs, or - for standard input")
    .action(async (sources: string[], flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).previewAction(sources, flags, session),
    );

  withOptions(program.command("doctor"), [
    ...jobOptions,
    ...targetOptions,
    ...options("ledger"),
    ...optionsOf(DOCTOR),
    formatOption(),
  ])
    .description("Check the setup for a push and suggest a fix for each finding. Sends no records.")
    .argument("[sources...]", "files, globs, or - for standard input")
    .action(async (sources: string[], flags: DoctorFlags, command: Command) =>
      (await import("./actions/doctor-action.ts")).doctorAction(sources, flags, command, session),
    );

  const config = program.command("config").description("Inspect the settings. Works offline.");
  withOptions(config.command("show"), [...settingOptions, formatOption()])
    .description("Show every effective setting and its origin: flag, environment variable, line of a file, or default.")
    .action(async (flags: InspectFlags, command: Command) =>
      (await import("./actions/doctor-action.ts")).configShowAction(flags, command, session),
    );

  addCorrectionsCommand(program, session);
  addDocumentsCommand(program, session);
  addProofCommands(program, session);
  addRunCommands(program, session);
  addLedgerCommands(program, session);
  addContractCommands(program, session);
}

function addMigrationCommands(program: Command, session: Session): void {
  withOptions(program.command("open"), [...options("config", "ledger"), ...optionsOf(OPEN)])
    .description("List every record that is not yet done, across all runs. Works offline.")
    .action(async (flags: OpenFlags) => (await import("./actions/inspect-actions.ts")).openAction(flags, session));

  withOptions(program.command("changes"), [
    ...jobOptions,
    ...options("target", "baseUrl", "ledger"),
    ...optionsOf(CHANGES),
  ])
    .description("List the differences between the sources and the ledger. Works offline.")
    .argument("[sources...]", "files, globs, or - for standard input")
    .action(async (sources: string[], flags: ChangesFlags) =>
      (await import("./actions/inspect-actions.ts")).changesAction(sources, flags, session),
    );

  withOptions(program.command("exclude"), [
    ...options("config", "ledger", "supplier", "operation"),
    ...optionsOf(EXCLUDE),
    formatOption(),
  ])
    .description(
      "Exclude records from the migration, so that no push sends them. Without keys, list the excluded records. Works offline.",
    )
    .argument("[keys...]", "business keys of the records, or places of rows without a key (customers.csv:12)")
    .action(async (keys: string[], flags: ExcludeFlags) =>
      (await import("./actions/inspect-actions.ts")).excludeAction(keys, flags, session),
    );
}

function addCorrectionsCommand(program: Command, session: Session): void {
  const corrections = program
    .command("corrections")
    .description("Correct cells in the sources without changing the files. Works offline.");
  const shared = [...options("config", "corrections"), formatOption()];
  withOptions(corrections.command("add"), correctionOptions)
    .description(
      "Add cell values to the corrections file: one value, a list of values, or the changes in returned rejects.",
    )
    .argument("[key]", "key of the row in its source")
    .argument("[column]", "column of the cell; a dot path for JSON")
    .argument("[value]", "new value")
    .action(
      async (key: string | undefined, column: string | undefined, value: string | undefined, flags: CorrectionFlags) =>
        (await import("./actions/corrections-actions.ts")).correctionsAddAction({ key, column, value }, flags, session),
    );
  withOptions(corrections.command("list"), [...shared, ...options("showValues")])
    .description("List the corrections.")
    .action(async (flags: CorrectionFlags) =>
      (await import("./actions/corrections-actions.ts")).correctionsListAction(flags, session),
    );
  withOptions(corrections.command("remove"), shared)
    .description("Remove the corrections for a row, or for one of its cells.")
    .argument("<key>", "key of the row in its source")
    .option("--in <source>", "only in this source")
    .option("--column <name>", "only in this column")
    .action(async (key: string, flags: CorrectionFlags) =>
      (await import("./actions/corrections-actions.ts")).correctionsRemoveAction(key, flags, session),
    );
}

function addProofCommands(program: Command, session: Session): void {
  const ledger = [...options("config", "cache", "ledger"), formatOption()];
  withOptions(program.command("compare"), [...options("config", "cache", "ledger"), ...optionsOf(COMPARE)])
    .description("Read accepted records back from the platform and list differences.")
    .argument("[run]", "id of the run, or its first characters (default: the latest)")
    .action(async (run: string | undefined, flags: CompareFlags) =>
      (await import("./actions/inspect-actions.ts")).compareAction(run, flags, session),
    );

  const proof = withOptions(program.command("proof"), [...ledger, ...proofOptions])
    .description(
      "Write an audit proof that accounts for every row, record and sum of a push. Works offline without --read-back.",
    )
    .argument("[run]", "id of the run, or its first characters (default: the latest)")
    .hook("preSubcommand", passOptions)
    .action(async (run: string | undefined, flags: ProofFlags) =>
      (await import("./actions/ledger-actions.ts")).proofAction(run, flags, session),
    );
  withOptions(proof.command("verify"), ledger)
    .description(
      "Recompute a proof from the sources and the ledger, and list the differences. The exit code is 1 if there are any.",
    )
    .argument("<dir>", "folder of the proof")
    .action(async (folder: string, flags: ProofFlags) =>
      (await import("./actions/ledger-actions.ts")).proofVerifyAction(folder, flags, session),
    );
}

/**
 * Passes options from a command to its subcommand, because Commander assigns an option to the parent if both define it.
 * Rejects an option that the subcommand does not have.
 */
function passOptions(parent: Command, subcommand: Command): void {
  for (const { name, flag } of givenFlags(parent)) {
    if (subcommand.options.every((option) => option.attributeName() !== name))
      subcommand.error(`error: unknown option '${flag}'`, { code: "commander.unknownOption" });
    subcommand.setOptionValueWithSource(name, parent.getOptionValue(name), "cli");
  }
}

function addRunCommands(program: Command, session: Session): void {
  const run = program
    .command("run")
    .description("List or write the contract, mapping and other files of a run. Works offline.");
  const shared = [...options("config", "ledger"), formatOption()];
  withOptions(run.command("show"), shared)
    .description(
      "List the contract, the mapping and the other files of a run, and show which of them the ledger stores.",
    )
    .argument("[run]", "id of the run, or its first characters (default: the latest)")
    .action(async (id: string | undefined, flags: InspectFlags) =>
      (await import("./actions/ledger-actions.ts")).runShowAction(id, flags, session),
    );
  withOptions(run.command("files"), shared)
    .description("Write the stored files of a run to a folder.")
    .argument("[run]", "id of the run, or its first characters (default: the latest)")
    .requiredOption("-o, --out <dir>", "new or empty folder")
    .action(async (id: string | undefined, flags: RunFilesFlags) =>
      (await import("./actions/ledger-actions.ts")).runFilesAction(id, flags, session),
    );
}

function addLedgerCommands(program: Command, session: Session): void {
  const ledger = program.command("ledger").description("Check, repair or export the ledger. Works offline.");
  withOptions(ledger.command("check"), [...options("config", "ledger"), formatOption()])
    .description("Check the ledger for corruption and inconsistencies. Changes nothing.")
    .action(async (flags: InspectFlags) =>
      (await import("./actions/ledger-actions.ts")).ledgerCheckAction(flags, session),
    );
  withOptions(ledger.command("repair"), [...options("config", "ledger"), formatOption()])
    .description("Repair a corrupt or restored ledger. Records that may have been sent become ambiguous.")
    .option("--nothing-lost", "confirm that the restored database contains every request that other machines have sent")
    .action(async (flags: InspectFlags) =>
      (await import("./actions/ledger-actions.ts")).ledgerRepairAction(flags, session),
    );
  withOptions(ledger.command("export"), options("config", "ledger"))
    .description(
      "Export the ledger as JSON lines: runs, records, requests, decisions, exclusions. The output contains no payloads.",
    )
    .action(async (flags: Flags) => (await import("./actions/ledger-actions.ts")).ledgerExportAction(flags, session));
}

function addDocumentsCommand(program: Command, session: Session): void {
  const documents = program
    .command("documents")
    .description("Check the documents that payloads refer to. Connects only to the document store.");
  withOptions(documents.command("check"), [
    ...jobOptions,
    ...storeOptions,
    ...reportOptions,
    ...checkOptions,
    ...options("showValues"),
  ])
    .description(
      "Check that the documents referenced by payloads exist under the supplier's root, in a folder or an S3-compatible store.",
    )
    .argument("[sources...]", "files, globs, or - for standard input")
    .action(async (sources: string[], flags: DocumentFlags) =>
      (await import("./actions/run-actions.ts")).documentsCheckAction(sources, flags, session),
    );
}

function addContractCommands(program: Command, session: Session): void {
  const contract = program.command("contract").description("Inspect and compare contracts. Works offline.");
  withOptions(contract.command("check"), [...options("config", "cache"), formatOption()])
    .description("List errors and unenforced parts of a contract, and show the coverage of its rules.")
    .argument("<files...>", "OpenAPI document, then overlays in order")
    .action(async (files: string[], flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).contractCheckAction(files, flags, session),
    );
  withOptions(contract.command("show"), [
    ...options("operation", "cache"),
    ...optionsOf(FIELDS),
    formatOption(["markdown"]),
  ])
    .description("List the operations of a contract, or show the field table of one operation.")
    .argument("<files...>", "OpenAPI document, then overlays in order")
    .action(async (files: string[], flags: FieldFlags) =>
      (await import("./actions/inspect-actions.ts")).contractShowAction(files, flags, session),
    );
  const diffOptions = [...options("mapping", "operation", "overlay", "cache"), formatOption(["markdown"])];
  withOptions(contract.command("diff"), diffOptions)
    .description(
      "Compare two contracts, and show which changes affect a mapping. The exit code is 1 if a change is breaking.",
    )
    .argument("<old>", "old OpenAPI document")
    .argument("<new>", "new OpenAPI document")
    .action(async (old: string, next: string, flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).contractDiffAction(old, next, flags, session),
    );
}
