import { mkdirSync } from "node:fs";
import path from "node:path";
import { push, type PushOptions, type RecordOutcome, resume, type RunResult, validate } from "energy-migrate";
import { acceptingPlatform } from "./accepting-platform.ts";
import { type Difference, collectDifferences } from "./compare-lines.ts";
import { SUPPLIER, type Triple, writeTriple } from "./triple.ts";

/**
 * Compares whole runs of the library: `validate` in one thread and in three, `push --dry-run`, a push that keeps its
 * payloads, a push that rebuilds its payloads, and a push that is stopped and resumed.
 */
export async function compareRuns(triple: Triple, folder: string): Promise<readonly Difference[]> {
  writeTriple(folder, triple);
  const { compare, found } = collectDifferences();
  const common = { folder, contract: "contract.json", mapping: "mapping.json", supplier: SUPPLIER };
  const validated = await linesOf(validate({ ...common, threads: 1 }));
  compare("validate, 1 thread / 3 threads", validated, await linesOf(validate({ ...common, threads: 3 })));
  const target = { baseUrl: "http://127.0.0.1:9/v1/", environment: "test", allowInsecureLoopback: true } as const;
  const dryRun = { ...common, target, credentials: { token: "t" }, ledger: ledgerIn(folder, "dry"), dryRun: true };
  const planned = await linesOf(push(dryRun));
  // `validate` has no ledger, so it cannot distinguish a corrupt key from a new key.
  if (planned.every((line) => !line.includes('"damaged_key"')))
    compare("validate / push --dry-run", validated, planned);
  const kept = await pushedBodies({ ...common, threads: 1 }, { folder, name: "kept" });
  const reread = await pushedBodies({ ...common, threads: 2 }, { folder, name: "reread" });
  compare("push, 1 thread / 2 threads", kept.bodies, reread.bodies);
  compare("push, outcomes in 1 thread / 2 threads", kept.lines, reread.lines);
  const resumed = await pushedBodies(
    { ...common, threads: 1 },
    { folder, name: "resumed", stopAt: kept.bodies.length / 3 },
  );
  compare("push / push that is stopped and resumed", kept.bodies, resumed.bodies);
  return found;
}

function ledgerIn(folder: string, name: string): string {
  mkdirSync(path.join(folder, name), { recursive: true });
  return path.join(folder, name, "ledger.db");
}

interface PushSetup {
  readonly folder: string;
  readonly name: string;
  /** Number of requests after which the push is aborted. `resume` then sends the remaining records. */
  readonly stopAt?: number;
}

interface Pushed {
  /** Sorted, because requests are concurrent. */
  readonly bodies: readonly string[];
  readonly lines: readonly string[];
}

async function pushedBodies(common: Omit<PushOptions, "target">, setup: PushSetup): Promise<Pushed> {
  const { folder, name, stopAt = Infinity } = setup;
  const stop = new AbortController();
  const platform = await acceptingPlatform((count) => {
    if (count >= stopAt) stop.abort();
  });
  const ledger = ledgerIn(folder, name);
  const credentials = { token: "t" };
  try {
    const target = { baseUrl: platform.baseUrl, environment: "test", allowInsecureLoopback: true } as const;
    const lines = await linesOf(push({ ...common, target, credentials, ledger, signal: stop.signal }));
    if (stop.signal.aborted) await linesOf(resume({ folder, credentials, ledger }));
    return { bodies: platform.requests.toSorted(), lines };
  } finally {
    await platform.close();
  }
}

/** Returns the outcome of each record without volatile fields, the exit code, and the failures of the run. */
async function linesOf(running: Promise<RunResult>): Promise<readonly string[]> {
  let run: RunResult;
  try {
    run = await running;
  } catch (error) {
    return [String(error)];
  }
  const lines: string[] = [];
  for await (const outcome of run.outcomes()) lines.push(JSON.stringify(withoutVolatileFields(outcome)));
  await run.close();
  return [...lines, String(run.exitCode), ...run.failures.map(String)];
}

function withoutVolatileFields({ durationMs: _time, account: _account, ...outcome }: RecordOutcome): unknown {
  return outcome;
}
