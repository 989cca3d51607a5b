import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Dependencies } from "../job/dependencies.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/records/run.ts";
import type { PlatformProof, Proof } from "../model/proof.ts";
import { writeProofPage } from "../report/page/proof-page.ts";
import { openReportFolder, removeFile, type ReportFolder } from "../report/report-folder.ts";
import { noteUnplanned } from "../pipeline/run/run-ledger.ts";
import { indentedJson } from "../terminal/safe-json.ts";
import { type PlatformQueries, proveRun } from "./prove-run.ts";

export interface ProofOptions extends PlatformQueries {
  readonly ledger: Ledger;
  /** The runs to prove, oldest first. */
  readonly runs: readonly Run[];
  readonly folder: string;
  /** ISO 8601 UTC. A rebuilt proof keeps the original values of this member and of `tool`. */
  readonly madeAt: string;
  readonly tool: string;
  /** Whether these are all the runs in the ledger. Only then does the proof include the totals across all runs. */
  readonly all: boolean;
}

/**
 * Writes `proof.json`, `proof.html` and the tables of each run (docs/proof.md). Moves the files into the folder once
 * all of them are complete, and then removes the tables of an earlier proof. The same sources, ledger, platform
 * answers, `madeAt` and `tool` produce the same bytes.
 * @throws Failure `storage` if a file cannot be written
 */
export async function writeProof(
  { ledger, runs, folder: name, madeAt, tool, all, queryPlatform }: ProofOptions,
  dependencies: Dependencies,
): Promise<Proof> {
  const folder = await openReportFolder(name);
  try {
    const context = { ledger, folder, dependencies, queryPlatform };
    const proofs: Proof["runs"][number][] = [];
    const files: Record<string, string> = {};
    for (const run of runs) {
      const proved = await proveRun(run, context);
      proofs.push(proved.proof);
      for (const file of proved.files) files[file.name] = file.sha256();
    }
    const coverage = all ? { coverage: await ledger.coverage() } : {};
    const unplanned = all ? await noteUnplanned(ledger, dependencies.notice) : 0;
    const proof: Proof = {
      format: "migrate-proof/1",
      tool,
      madeAt,
      runs: proofs,
      ...coverage,
      ...(unplanned > 0 && { unplanned }),
      files,
    };
    await writeDocuments(proof, folder);
    await folder.commit();
    for (const table of await tablesIn(name)) if (files[table] === undefined) await removeFile(path.join(name, table));
    return proof;
  } finally {
    await folder.discard();
  }
}

/** Returns the names of the tables in a folder, which may belong to other proofs. */
export async function tablesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => TABLE_NAME.test(name)).toSorted();
}

const TABLE_NAME = /^(?:rows|records|differences|corrections|platform)-\d{8}-\d{4}-\w+\.(?:csv|ndjson)$/;

async function writeDocuments(proof: Proof, folder: ReportFolder): Promise<void> {
  const json = await folder.create("proof.json");
  await json.write(indentedJson(proof));
  const page = await folder.create("proof.html");
  await writeProofPage(proof, page.write);
}

/**
 * Whether the proof is complete, so that `migrate proof` exits with 0. A proof is incomplete if the sources of a run
 * have changed, a row is unaccounted for, a payload differs from the plan, a record is `existing` or in no run, or the
 * platform does not confirm an accepted record and its content. Rejected records and differing amounts are allowed.
 */
export function isComplete({ runs, unplanned = 0 }: Proof): boolean {
  const areComplete = runs.every(
    ({ unreadable, sources, payloads, records, platform }) =>
      unreadable === undefined &&
      payloads.different === 0 &&
      (records.byStatus.existing ?? 0) === 0 &&
      sources.every(({ unaccounted }) => unaccounted === 0) &&
      (platform === undefined || unconfirmed(platform) === 0),
  );
  return areComplete && unplanned === 0;
}

function unconfirmed({ notCompared, different, absent, unknown }: PlatformProof): number {
  return notCompared + different + absent + unknown;
}
