import { rm } from "node:fs/promises";
import path from "node:path";
import { readContractWithFindings } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/job.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { type Sandbox, type SandboxReady, startSandbox } from "../../sandbox/start-sandbox.ts";
import { counted } from "../../text/count.ts";
import { FIXTURES } from "../serve-sandbox.ts";
import { correctRejects, readCorrections } from "./correct-rejects.ts";

export interface DemoOptions {
  /** Folder for all files of the demo; recreated on every run. */
  readonly folder: string;
}

/** Settings of one push in the demo. */
interface DemoPush {
  readonly job: JobSettings;
  readonly platform: SandboxReady;
  readonly ledger: string;
  readonly out: string;
}

export type DemoDependencies = Pick<Dependencies, "drain" | "contractCache"> & {
  readonly push: (push: DemoPush) => Promise<RunReport>;
};

/** One step to display: a sentence, or the report of a push. The consumer closes the report. */
export type DemoStep =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "report"; readonly report: RunReport }
  | { readonly kind: "end"; readonly exitCode: number };

/** A relative path, to keep printed commands and places short. */
const HERE = path.relative(process.cwd(), FIXTURES);
const CONTRACT = path.join(HERE, "contract/contract.yaml");

interface Extract {
  readonly intent: string;
  /** The source whose rejects are in the main rejects file. */
  readonly root: string;
  readonly job: Pick<JobSettings, "mapping" | "sources">;
}

const EXTRACTS: readonly Extract[] = [
  {
    intent: "220 households from CSV files, joined on import",
    root: "accounts",
    job: { mapping: path.join(HERE, "demo/mapping.yaml"), sources: [] },
  },
  {
    intent: "24 businesses from a JSON extract of ready-made payloads",
    root: "business",
    job: { sources: [path.join(HERE, "demo/business.json")] },
  },
];
const TOTAL_ACCOUNTS = 244;

/**
 * Runs the main workflow on a local platform: pushes the extracts, corrects the rejects as their data owners would,
 * pushes the corrections, and counts the accounts on the platform.
 */
export async function* demo({ folder }: DemoOptions, dependencies: DemoDependencies): AsyncGenerator<DemoStep> {
  await rm(folder, { recursive: true, force: true });
  const contract = await readContractWithFindings([CONTRACT], dependencies);
  const sandbox = await startSandbox({ contract, port: 0, folder: path.join(folder, "sandbox"), faults: {} });
  try {
    yield { kind: "say", text: `A local platform is listening at ${sandbox.ready.baseUrl}` };
    for (const extract of EXTRACTS) {
      if (dependencies.drain.aborted) return;
      yield* migrateExtract(extract, { folder, sandbox, push: dependencies.push });
    }
    const keys = sandbox.state.accounts().map(({ key }) => key);
    const { text, isRight } = countAccounts(keys, TOTAL_ACCOUNTS);
    yield { kind: "say", text: `\nThe platform now has ${text}.` };
    yield { kind: "end", exitCode: isRight ? 0 : 1 };
  } finally {
    await sandbox.close();
  }
}

interface DemoContext extends Pick<DemoDependencies, "push"> {
  readonly folder: string;
  readonly sandbox: Sandbox;
}

async function* migrateExtract(extract: Extract, { folder, sandbox, push }: DemoContext): AsyncGenerator<DemoStep> {
  const settings = { platform: sandbox.ready, ledger: path.join(folder, "ledger.db") };
  const job = {
    ...extract.job,
    folder: process.cwd(),
    contract: [CONTRACT],
    operation: "import-account",
    namedSources: {},
  };
  const out = path.join(folder, extract.root);

  yield { kind: "say", text: `\nPushing ${extract.intent}.\n` };
  yield { kind: "report", report: await push({ ...settings, job: { ...job, supplier: sandbox.ready.supplier }, out }) };

  const corrections = await readCorrections(path.join(HERE, "demo/demo-corrections.csv"));
  const { cells, files } = await correctRejects(out, extract.root, corrections);
  const rejects =
    extract.job.mapping === undefined ? { sources: [...files.values()] } : { namedSources: bySource(files) };
  yield {
    kind: "say",
    text: `\nCorrecting ${cells} cells in ${rejectsIn(files.size)}, as their data owners would, and pushing the corrections.\n`,
  };
  const corrected = { ...job, ...rejects, supplier: sandbox.ready.supplier };
  yield { kind: "report", report: await push({ ...settings, job: corrected, out: `${out}-corrected` }) };
}

function rejectsIn(files: number): string {
  return files === 1 ? "the file of rejects" : `${files} files of rejects`;
}

function bySource(files: ReadonlyMap<string, string>): JobSettings["namedSources"] {
  return Object.fromEntries([...files].map(([source, file]) => [source, [file]]));
}

interface AccountCount {
  /** `244 of 244 accounts, each exactly once`, or the number of accounts found and of duplicates. */
  readonly text: string;
  readonly isRight: boolean;
}

/** Compares the business keys of the accounts on the platform with the number of accounts that were sent to it. */
export function countAccounts(keys: readonly string[], expected: number): AccountCount {
  const different = new Set(keys).size;
  const repeated = keys.length - different;
  const of = `${different} of ${counted(expected, "account")}`;
  if (repeated > 0) return { text: `${of}, and ${counted(repeated, "duplicate")}`, isRight: false };
  return { text: different === expected ? `${of}, each exactly once` : of, isRight: different === expected };
}
