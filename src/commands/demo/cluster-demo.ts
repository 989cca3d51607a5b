import { rm } from "node:fs/promises";
import path from "node:path";
import { readContractWithFindings } from "../../job/contract-files.ts";
import type { Dependencies, StartedProcess } from "../../job/dependencies.ts";
import type { RunEvent } from "../../job/run-event.ts";
import { CONTRACT, countAccounts, demoJob, type DemoPush, type DemoStep, HOUSEHOLDS } from "./demo.ts";
import { Failure } from "../../model/failure.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { type Sandbox, startSandbox } from "../../sandbox/start-sandbox.ts";
import { startPrivatePostgres } from "./private-postgres.ts";

interface ClusterDemoOptions {
  /** Folder for all files of the demo; recreated on every run. */
  readonly folder: string;
  /** Locator of an existing database. If absent, the demo starts its own server. */
  readonly ledger?: string | undefined;
}

/** Settings that replace the defaults for the demo's push. */
interface ClusterPush extends DemoPush {
  readonly workers: { readonly count: number; readonly leaseMs: number };
  readonly concurrency: number;
  readonly startProcess: (words: readonly string[]) => StartedProcess;
  readonly onProgress: (event: RunEvent) => void;
}

interface ClusterDemoDependencies extends Dependencies {
  readonly push: (push: ClusterPush) => Promise<RunReport>;
}

/** Delay before each reply, so that the push lasts long enough to be watched. */
const LATENCY_MS = 250;
const WORKERS = { count: 3, leaseMs: 3_000 };
const CONCURRENCY = 6;
/** The number of outcomes after which one worker is killed. */
const SENT_BEFORE_KILL = 40;

/** Pushes the demo's households with three workers and a ledger in PostgreSQL. Kills one worker during the push. */
export async function* clusterDemo(
  { folder, ledger }: ClusterDemoOptions,
  dependencies: ClusterDemoDependencies,
): AsyncGenerator<DemoStep> {
  await rm(folder, { recursive: true, force: true });
  const server = ledger === undefined ? await startPrivatePostgres() : undefined;
  try {
    const contract = await readContractWithFindings([CONTRACT], dependencies);
    const faults = { latencyMs: LATENCY_MS };
    const sandbox = await startSandbox({ contract, port: 0, folder: path.join(folder, "sandbox"), faults });
    try {
      yield { kind: "say", text: `A local platform is listening at ${sandbox.ready.baseUrl}` };
      yield* pushWithWorkers({ folder, ledger: ledger ?? server?.url ?? "", sandbox }, dependencies);
    } finally {
      await sandbox.close();
    }
  } finally {
    await server?.stop();
  }
}

async function* pushWithWorkers(
  { folder, ledger, sandbox }: { readonly folder: string; readonly ledger: string; readonly sandbox: Sandbox },
  dependencies: ClusterDemoDependencies,
): AsyncGenerator<DemoStep> {
  const workers = createWorkerStarter(dependencies);
  const where = ledger.startsWith("postgres://migrate@127.0.0.1") ? "a temporary PostgreSQL server" : ledger;
  yield { kind: "say", text: `Pushing 220 households with ${WORKERS.count} workers and a ledger on ${where}.\n` };
  const report = await dependencies.push({
    job: demoJob(HOUSEHOLDS, sandbox.ready),
    platform: sandbox.ready,
    ledger,
    out: path.join(folder, "report"),
    workers: WORKERS,
    concurrency: CONCURRENCY,
    startProcess: workers.startProcess,
    onProgress: workers.onProgress,
  });
  yield { kind: "report", report };
  const { accepted = 0 } = report.report.summary.counts;
  const keys = sandbox.state.accounts().map(({ key }) => key);
  const { text, isRight } = countAccounts(keys, accepted);
  const killed = workers.killed();
  yield {
    kind: "say",
    text: killed === undefined ? "\nNo worker was killed." : `\nWorker ${killed} was killed during the push.`,
  };
  yield { kind: "say", text: `The platform has ${text}.` };
  yield { kind: "end", exitCode: isRight && killed !== undefined ? 0 : 1 };
}

function createWorkerStarter({ startProcess, onProgress, notice }: ClusterDemoDependencies) {
  const started: StartedProcess[] = [];
  let sent = 0;
  let killed: number | undefined;
  return {
    killed: () => killed,
    startProcess: (words: readonly string[]): StartedProcess => {
      if (startProcess === undefined) throw new Failure("usage", "workers can be started only from the command line");
      const one = startProcess(words);
      started.push(one);
      return one;
    },
    onProgress: (event: RunEvent): void => {
      onProgress(event);
      if (event.kind !== "outcome") return;
      sent += 1;
      const victim = started[1]?.pid;
      if (sent < SENT_BEFORE_KILL || killed !== undefined || victim === undefined) return;
      killed = victim;
      notice(`Killing worker ${victim} (SIGKILL)`);
      process.kill(victim, "SIGKILL");
    },
  };
}
