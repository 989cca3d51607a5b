import type { Command } from "commander";
import { discardPlatformVariables, givenFlags } from "./options/option-origin.ts";
import { optionsOf } from "./options/option-table.ts";
import { CHANGES, COMPARE, DOCTOR, EXCLUDE, FIELDS, OPEN, STATUS } from "./options/run-option-tables.ts";
import { onDemand, type Session } from "./process/session.ts";
import {
  ARGUMENTS,
  checkOptions,
  type CorrectionFlags,
  correctionOptions,
  formatOption,
  jobOptions,
  options,
  proofOptions,
  reportOptions,
  settingOptions,
  storeOptions,
  targetOptions,
  withOptions,
} from "./options/options.ts";

const inspectActions = () => import("./actions/inspect-actions.ts");
const doctorActions = () => import("./actions/doctor-action.ts");
const correctionsActions = () => import("./actions/corrections-actions.ts");
const ledgerActions = () => import("./actions/ledger-actions.ts");

export function addInspectCommands(program: Command, session: Session): void {
  withOptions(program.command("status"), [...options("config", "ledger"), formatOption(), ...optionsOf(STATUS)])
    .description("Show the state of the migration and its runs, or of one run. Works offline.")
    .argument("[run]", "id of one run, or its first characters (default: all runs)")
    .action(onDemand(session, async () => (await inspectActions()).statusAction));

  addMigrationCommands(program, session);
  withOptions(program.command("explain"), [...options("config", "cache", "ledger", "showValues"), formatOption()])
    .description("Show everything about one record: rows, payload with origins, attempts, replies. Works offline.")
    .argument("<key>", "business key of the record")
    .option("--run <id>", "run to search (default: the latest that contains the key)")
    .action(onDemand(session, async () => (await inspectActions()).explainAction));

  withOptions(program.command("preview"), [...jobOptions, ...options("showValues"), formatOption()])
    .description(
      "Show payloads (default: only the first) as they would be sent, with the origin of every value. Works offline.",
    )
    .argument(...ARGUMENTS.sources)
    .action(onDemand(session, async () => (await inspectActions()).previewAction));

  withOptions(program.command("doctor"), [
    ...jobOptions,
    ...targetOptions,
    ...options("ledger"),
    ...optionsOf(DOCTOR),
    formatOption(),
  ])
    .description("Check the setup for a push and suggest a fix for each finding. Sends no records.")
    .argument(...ARGUMENTS.sources)
    .action(onDemand(session, async () => (await doctorActions()).doctorAction));

  const config = program.command("config").description("Inspect the settings. Works offline.");
  withOptions(config.command("show"), [...settingOptions, formatOption()])
    .description("Show every effective setting and its origin: flag, environment variable, line of a file, or default.")
    .action(onDemand(session, async () => (await doctorActions()).configShowAction));

  addCorrectionsCommand(program, session);
  addDocumentsCommand(program, session);
  addProofCommands(program, session);
  addRunCommands(program, session);
  addLedgerCommands(program, session);
  addContractCommands(program, session);
}

function addMigrationCommands(program: Command, session: Session): void {
  withOptions(program.command("open"), [...options("config", "ledger"), ...optionsOf(OPEN)])
    .description("List every open record across all runs. Works offline.")
    .action(onDemand(session, async () => (await inspectActions()).openAction));

  withOptions(program.command("changes"), [
    ...jobOptions,
    ...options("target", "baseUrl", "ledger"),
    ...optionsOf(CHANGES),
  ])
    .description("List the differences between the sources and the ledger. Works offline.")
    .argument(...ARGUMENTS.sources)
    .action(onDemand(session, async () => (await inspectActions()).changesAction));

  withOptions(program.command("exclude"), [
    ...options("config", "ledger", "supplier", "operation"),
    ...optionsOf(EXCLUDE),
    formatOption(),
  ])
    .description(
      "Exclude records from the migration, so that no push sends them. Without keys or --from, list the excluded records. Works offline.",
    )
    .argument("[keys...]", "business keys of the records, or places of rows without a key (customers.csv:12)")
    .action(onDemand(session, async () => (await inspectActions()).excludeAction));
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
    // An empty value empties the cell.
    .argument("[value]", "new value", String)
    .action(
      async (key: string | undefined, column: string | undefined, value: string | undefined, flags: CorrectionFlags) =>
        (await correctionsActions()).correctionsAddAction(session, { key, column, value }, flags),
    );
  withOptions(corrections.command("list"), [...shared, ...options("showValues")])
    .description("List the corrections.")
    .action(onDemand(session, async () => (await correctionsActions()).correctionsListAction));
  withOptions(corrections.command("remove"), shared)
    .description("Remove the corrections for a key, or for one column of its rows.")
    .argument("<key>", "key of the row in its source")
    .option("--in <source>", "only in this source")
    .option("--column <name>", "only in this column")
    .action(onDemand(session, async () => (await correctionsActions()).correctionsRemoveAction));
}

function addProofCommands(program: Command, session: Session): void {
  const ledger = [...options("config", "cache", "ledger"), formatOption()];
  withOptions(program.command("compare"), [
    ...options("config", "cache", "ledger", "target", "baseUrl", "ca", "proxy"),
    ...optionsOf(COMPARE),
  ])
    .description("Read accepted records back from the platform and list the differences.")
    .hook("preAction", discardPlatformVariables)
    .argument(...ARGUMENTS.run)
    .action(onDemand(session, async () => (await inspectActions()).compareAction));

  const proof = withOptions(program.command("proof"), [
    ...ledger,
    ...options("target", "baseUrl", "ca", "proxy"),
    ...proofOptions,
  ])
    .description(
      "Write a proof that accounts for every row, record and sum of a push. Works offline without --read-back.",
    )
    .argument(...ARGUMENTS.run)
    .usage("[options] [run]")
    .hook("preSubcommand", passOptions)
    .hook("preAction", discardPlatformVariables)
    .action(onDemand(session, async () => (await ledgerActions()).proofAction));
  withOptions(proof.command("verify"), ledger)
    .description(
      "Recompute a proof from the sources and the ledger, and list the differences. The exit code is 1 if there are any.",
    )
    .argument("<dir>", "folder of the proof")
    .action(onDemand(session, async () => (await ledgerActions()).proofVerifyAction));
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
    .argument(...ARGUMENTS.run)
    .action(onDemand(session, async () => (await ledgerActions()).runShowAction));
  withOptions(run.command("files"), shared)
    .description("Write the stored files of a run to a folder.")
    .argument(...ARGUMENTS.run)
    .requiredOption("-o, --out <dir>", "new or empty folder")
    .action(onDemand(session, async () => (await ledgerActions()).runFilesAction));
}

function addLedgerCommands(program: Command, session: Session): void {
  const ledger = program.command("ledger").description("Check, repair or export the ledger. Works offline.");
  withOptions(ledger.command("check"), [...options("config", "ledger"), formatOption()])
    .description("Check the ledger for corruption and inconsistencies. Changes nothing.")
    .action(onDemand(session, async () => (await ledgerActions()).ledgerCheckAction));
  withOptions(ledger.command("repair"), [...options("config", "ledger"), formatOption()])
    .description("Repair a corrupt or restored ledger. Records that may have been sent become ambiguous.")
    .option("--nothing-lost", "confirm that the database has all requests from other machines")
    .addOption(
      ledger
        .createOption("--some-lost", "treat every record as possibly sent, except accepted records")
        .conflicts("nothingLost"),
    )
    .action(onDemand(session, async () => (await ledgerActions()).ledgerRepairAction));
  withOptions(ledger.command("export"), options("config", "ledger"))
    .description(
      "Export the ledger as NDJSON: runs, records, requests, decisions, exclusions. The output contains no payloads.",
    )
    .action(onDemand(session, async () => (await ledgerActions()).ledgerExportAction));
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
    .argument(...ARGUMENTS.sources)
    .action(onDemand(session, async () => (await import("./actions/run-actions.ts")).documentsCheckAction));
}

function addContractCommands(program: Command, session: Session): void {
  const contract = program.command("contract").description("Inspect and compare contracts. Works offline.");
  withOptions(contract.command("check"), [...options("config", "cache"), formatOption()])
    .description("List errors and unenforced parts of a contract, and show the coverage of its rules.")
    .argument(...ARGUMENTS.contract)
    .action(onDemand(session, async () => (await inspectActions()).contractCheckAction));
  withOptions(contract.command("show"), [
    ...options("operation", "cache"),
    ...optionsOf(FIELDS),
    formatOption(["markdown"]),
  ])
    .description("List the operations of a contract, or show the field table of one operation.")
    .argument(...ARGUMENTS.contract)
    .action(onDemand(session, async () => (await inspectActions()).contractShowAction));
  const diffOptions = [...options("mapping", "operation", "overlay", "cache"), formatOption(["markdown"])];
  withOptions(contract.command("diff"), diffOptions)
    .description(
      "Compare two contracts, and show which changes affect a mapping. The exit code is 1 if a change breaks the mapping or, without a mapping, breaks payloads.",
    )
    .argument("<old>", "old OpenAPI document")
    .argument("<new>", "new OpenAPI document")
    .action(onDemand(session, async () => (await inspectActions()).contractDiffAction));
}
