import type { Command } from "commander";
import type { Session } from "./process/session.ts";
import {
  checkOptions,
  type DoctorFlags,
  doctorOptions,
  type DocumentFlags,
  type FieldFlags,
  fieldOptions,
  type Flags,
  formatOption,
  type InspectFlags,
  jobOptions,
  options,
  type ProofFlags,
  proofOptions,
  reportOptions,
  settingOptions,
  storeOptions,
  targetOptions,
  withOptions,
} from "./options/options.ts";

/** The commands that look into what there is: records, documents, the ledger, contracts. */
export function addInspectCommands(program: Command, session: Session): void {
  withOptions(program.command("status"), [...options("config", "ledger"), formatOption()])
    .description("What the ledger knows of its runs. No network.")
    .argument("[run]", "one run's id, or its beginning (default: all runs)")
    .option("--watch", "show it anew every two seconds, until no run is at work")
    .action(async (run: string | undefined, flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).statusAction(run, flags, session),
    );

  withOptions(program.command("explain"), [...options("config", "cache", "ledger", "showValues"), formatOption()])
    .description("Everything about one record: rows, payload with origins, attempts, replies. No network.")
    .argument("<key>", "the record's business key")
    .option("--run <id>", "the run to look into (default: the latest)")
    .action(async (key: string, flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).explainAction(key, flags, session),
    );

  withOptions(program.command("preview"), [...jobOptions, ...options("showValues"), formatOption()])
    .description("The first payloads as they would be sent, with the origin of every value. No network.")
    .argument("[sources...]", "files, globs, or - for standard input")
    .action(async (sources: string[], flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).previewAction(sources, flags, session),
    );

  withOptions(program.command("doctor"), [
    ...jobOptions,
    ...targetOptions,
    ...options("ledger"),
    ...doctorOptions,
    formatOption(),
  ])
    .description("Is everything in place for a push? One line a check, with what mends it. Sends no record.")
    .argument("[sources...]", "files, globs, or - for standard input")
    .action(async (sources: string[], flags: DoctorFlags, command: Command) =>
      (await import("./actions/doctor-action.ts")).doctorAction(sources, flags, command, session),
    );

  const config = program.command("config").description("Look at the settings. No network.").exitOverride();
  withOptions(config.command("show"), [...settingOptions, formatOption()])
    .description("Every setting as commands use it, and where it comes from: flag, variable, line of a file, default.")
    .exitOverride()
    .action(async (flags: InspectFlags, command: Command) =>
      (await import("./actions/config-action.ts")).configShowAction(flags, command, session),
    );

  addDocumentsCommand(program, session);
  addProofCommands(program, session);
  addLedgerCommands(program, session);
  addContractCommands(program, session);
}

function addProofCommands(program: Command, session: Session): void {
  const ledger = [...options("config", "cache", "ledger"), formatOption()];
  const proof = withOptions(program.command("proof"), [...ledger, ...proofOptions])
    .description("What an auditor signs: every row, record and sum of a push accounted for. No network.")
    .argument("[run]", "the run's id, or its beginning (default: the latest)")
    .action(async (run: string | undefined, flags: ProofFlags) =>
      (await import("./actions/proof-actions.ts")).proofAction(run, flags, session),
    );
  withOptions(proof.command("verify"), ledger)
    .description("Make a proof anew from sources and ledger, and name what differs. 1: something does.")
    .argument("<dir>", "the folder of the proof")
    .exitOverride()
    .action(async (folder: string, flags: ProofFlags) =>
      (await import("./actions/proof-actions.ts")).proofVerifyAction(folder, flags, session),
    );
}

function addLedgerCommands(program: Command, session: Session): void {
  const ledger = program
    .command("ledger")
    .description("Look at the ledger's file, and mend it. No network.")
    .exitOverride();
  withOptions(ledger.command("check"), [...options("config", "ledger"), formatOption()])
    .description("Is it what was written last, and does it agree with itself? Changes nothing.")
    .action(async (flags: InspectFlags) =>
      (await import("./actions/ledger-actions.ts")).ledgerCheckAction(flags, session),
    );
  withOptions(ledger.command("repair"), [...options("config", "ledger"), formatOption()])
    .description("Repair a damaged or restored ledger. What is uncertain becomes ambiguous.")
    .option("--nothing-lost", "confirm that a restored database lacks no requests of other machines")
    .action(async (flags: InspectFlags) =>
      (await import("./actions/ledger-actions.ts")).ledgerRepairAction(flags, session),
    );
  withOptions(ledger.command("export"), options("config", "ledger"))
    .description("Everything that it knows, a JSON object a line: runs, records, requests, decisions. No values.")
    .action(async (flags: Flags) => (await import("./actions/ledger-actions.ts")).ledgerExportAction(flags, session));
  for (const command of ledger.commands) command.exitOverride();
}

function addDocumentsCommand(program: Command, session: Session): void {
  const documents = program
    .command("documents")
    .description("Look at the documents that payloads point to. Asks the document store alone.")
    .exitOverride();
  withOptions(documents.command("check"), [
    ...jobOptions,
    ...storeOptions,
    ...reportOptions,
    ...checkOptions,
    ...options("showValues"),
  ])
    .description("Do the documents exist under the supplier's root? In a folder, or an S3-compatible store.")
    .argument("[sources...]", "files, globs, or - for standard input")
    .exitOverride()
    .action(async (sources: string[], flags: DocumentFlags) =>
      (await import("./actions/documents-action.ts")).documentsCheckAction(sources, flags, session),
    );
}

function addContractCommands(program: Command, session: Session): void {
  const contract = program.command("contract").description("Look at a contract. No network.").exitOverride();
  withOptions(contract.command("check"), [...options("config", "cache"), formatOption()])
    .description("What in a contract is wrong or not enforced, and what its rules cover.")
    .argument("<files...>", "OpenAPI document, then overlays in order")
    .action(async (files: string[], flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).contractCheckAction(files, flags, session),
    );
  withOptions(contract.command("show"), [...options("operation", "cache"), ...fieldOptions, formatOption("markdown")])
    .description("The operations of a contract, or the field table of one: all fields, or those that are asked for.")
    .argument("<files...>", "OpenAPI document, then overlays in order")
    .action(async (files: string[], flags: FieldFlags) =>
      (await import("./actions/inspect-actions.ts")).contractShowAction(files, flags, session),
    );
  const diffOptions = [...options("mapping", "operation", "overlay", "cache"), formatOption("markdown")];
  withOptions(contract.command("diff"), diffOptions)
    .description("What changed between two contracts, and what of it a mapping has to follow. 1: something breaks.")
    .argument("<old>", "the OpenAPI document that was")
    .argument("<new>", "the one that is to be")
    .action(async (old: string, next: string, flags: InspectFlags) =>
      (await import("./actions/inspect-actions.ts")).contractDiffAction(old, next, flags, session),
    );
  for (const command of contract.commands) command.exitOverride();
}
