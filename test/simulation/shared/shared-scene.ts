import { hostname } from "node:os";
import { canResolveAmbiguous, type Operation } from "../../../src/contract/operations/operation.ts";
import { recoverServerLedger } from "../../../src/commands/ledger/ledger-maintenance.ts";
import { mayResumeSettle } from "../../../src/pipeline/run/next-command.ts";
import type { RunEvent } from "../../../src/job/run-event.ts";
import type { StartedProcess } from "../../../src/job/dependencies.ts";
import type { RateLimitSettings } from "../../../src/job/settings/platform-settings.ts";
import type { WorkerSettings } from "../../../src/job/settings/recorded-settings.ts";
import type { PlannedItem, PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import type { SharedRun } from "../../../src/ledger/runs/shared-run.ts";
import { Failure } from "../../../src/model/failure.ts";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { WatchedJournal } from "../../../src/pipeline/run/machine-evidence.ts";
import { openRunJournal } from "../../../src/pipeline/run/run-journal.ts";
import { coordinate } from "../../../src/pipeline/shared/coordinate.ts";
import { workJournaled, workUntilDone } from "../../../src/pipeline/shared/join-run.ts";
import type { WorkEnd } from "../../../src/pipeline/shared/work-on-run.ts";
import { createAuthorisation } from "../../../src/platform/auth/create-authorisation.ts";
import { createStepClients } from "../../../src/platform/import/step-clients.ts";
import type { Http } from "../../../src/transport/http.ts";
import { between, type Dice } from "../../seeded-dice.ts";
import type { ModelPlatform } from "../model-platform.ts";
import type { SimulatedClock } from "../simulated-clock.ts";
import { marksOf, type SimulatedRecord } from "../simulated-record.ts";
import type { ModelNetwork } from "./model-connection.ts";
import type { ModelServer } from "./model-server.ts";
import { modelLedger, modelSharedRun } from "./model-shared-run.ts";
import { sendingOf } from "./simulated-job.ts";
import type { SharedWitness } from "./shared-witness.ts";
import { journalTools, SERVER_STORE, type StateFolders } from "./state-folders.ts";
import { createProcess, type SimulatedProcess } from "./simulated-process.ts";

/** A simulated migration by several processes: its records, its platform and its server. */
export interface SharedScene {
  readonly clock: SimulatedClock;
  readonly dice: Dice;
  readonly operation: Operation;
  readonly platform: ModelPlatform;
  readonly server: ModelServer;
  readonly network: ModelNetwork;
  readonly witness: SharedWitness;
  readonly records: readonly SimulatedRecord[];
  /** Keys of records whose data was corrected. */
  readonly corrected: Set<string>;
  /** The number of corrected records when each run was planned. */
  readonly correctedOf: Map<string, number>;
  readonly pace: RateLimitSettings;
  readonly workers: WorkerSettings;
  /** The share of requests before which the process freezes. */
  readonly stalls: { share: number };
  readonly processes: SimulatedProcess[];
  /** The state folders with the journals of the processes. Absent: no journals are kept. */
  readonly folders?: StateFolders | undefined;
  readonly note: (event: string) => void;
}

type PlannerEnd = "done" | "drained" | "stopped" | "failed";

export interface Planner {
  readonly process: SimulatedProcess;
  /** Returns undefined while the process is running, and if it was killed. */
  readonly end: () => PlannerResult | undefined;
}

interface PlannerResult {
  readonly how: PlannerEnd;
  readonly isSettled: boolean;
  /** Whether the ledger was recognised as an older copy. */
  readonly isOutdated?: boolean;
}

const WRITER_LEASE_MS = 30_000;
const RENEWAL_MS = 5_000;
const AGAIN_MS = 2_000;

/** Starts a process that starts or resumes a run and lets workers send the records. */
export function startPlanner(scene: SharedScene, how: "push" | "resume", run: string, machine = 0): Planner {
  const process = newProcess(scene, machine);
  const { note } = scene;
  note(`process ${process.pid} begins ${how}`);
  let end: ReturnType<Planner["end"]>;
  const play = async (): Promise<void> => {
    end = await planned(scene, process, { how, run }).catch((error: unknown) => {
      if (!(error instanceof Failure)) scene.witness.addViolation("no bug", describeError(error));
      return { how: "failed", isSettled: false, isOutdated: isOutdated(scene, error) } as const;
    });
    note(`process ${process.pid} ends ${how}: ${end.how}${end.isOutdated === true ? ", ledger_outdated" : ""}`);
    process.end();
  };
  void play();
  return { process, end: () => end };
}

interface PlannedRun {
  readonly how: "push" | "resume";
  readonly run: string;
}

async function planned(
  scene: SharedScene,
  process: SimulatedProcess,
  { how, run }: PlannedRun,
): Promise<PlannerResult> {
  const { server, network, operation, pace, workers, witness, note } = scene;
  const connection = network.to(process);
  const isCurrent = witness.restores();
  const fence = await takeLedger(scene, process);
  const asWriter = <Result>(work: () => Result): Promise<Result> =>
    connection.once(() => server.requireWriter(fence), work);
  const renewing = renew(scene, process, fence);
  let journal: WatchedJournal | undefined;
  try {
    journal = await plannersJournal(scene, process);
    const policy = policyOf(operation);
    await asWriter(() => {
      if (how === "resume") server.tables.resume(run, policy, stampOf(scene));
      else {
        server.tables.closeInterrupted(stampOf(scene));
        server.tables.plan(run, itemsOf(scene), policy);
      }
    });
    const { pending = 0, ambiguous = 0 } = (await connection.retryIfLost(() => server.tables.summary(run))).counts;
    await journal?.begin(run);
    const end = await coordinate({
      shared: modelSharedRun(run, { server, connection, planner: fence, clock: process.clock }),
      run,
      pending: pending + ambiguous,
      workers,
      pace,
      resendAmbiguous: policy.resendAmbiguous && operation.steps.every(({ poll }) => poll === undefined),
      workerCommand: [],
      onRequests: (count) => journal?.addCount(count),
      requireNotRestored: journal?.watch?.look,
      dependencies: {
        drain: process.drain,
        abort: new AbortController().signal,
        clock: process.clock,
        onProgress: () => undefined,
        notice: note,
        startProcess: () => startedWorker(scene, run, process.machine),
      },
    });
    const outcomes = await asWriter(() => server.tables.outcomes(run));
    if (isCurrent()) witness.checkOutcomes(outcomes, server.tables.summary(run));
    return { how: end.reason, isSettled: !outcomes.some((one) => isOpen(one, operation)) };
  } finally {
    await journal?.end();
    renewing.abort();
    await connection.retryIfLost(() => server.release(fence)).catch(() => undefined);
  }
}

async function plannersJournal(scene: SharedScene, process: SimulatedProcess): Promise<WatchedJournal | undefined> {
  const { folders, server, network, note } = scene;
  if (folders === undefined) return undefined;
  const ledger = modelLedger(server, network.to(process));
  return openRunJournal(SERVER_STORE, ledger, journalTools(folders, process, note));
}

function isOutdated({ witness }: SharedScene, error: unknown): boolean {
  const isSo = error instanceof Failure && error.code === "ledger_outdated";
  if (isSo) witness.refused();
  return isSo;
}

/** Starts a process that runs `migrate ledger repair`. The process waits while another process has the ledger. */
export function startRepair(scene: SharedScene, machine: number, nothingLost: boolean): SimulatedProcess {
  const process = newProcess(scene, machine);
  const { note, witness, folders, server, network } = scene;
  const connection = network.to(process);
  const repair = async (): Promise<string> => {
    if (folders === undefined) return "nothing to do";
    const tools = { ...journalTools(folders, process, note), at: stampOf(scene), nothingLost, someLost: false };
    const write = async () => {
      const fence = await takeLedger(scene, process);
      const renewing = renew(scene, process, fence);
      const close = async (): Promise<void> => {
        renewing.abort();
        await connection.retryIfLost(() => server.release(fence));
      };
      return { ...modelLedger(server, connection), close };
    };
    const { noted, isUncertain } = await recoverServerLedger({ ...SERVER_STORE, write }, tools);
    return `${noted} noted${isUncertain ? ", uncertain" : ""}`;
  };
  const play = async (): Promise<void> => {
    const how = await repair().catch((error: unknown) => {
      if (!(error instanceof Failure)) witness.addViolation("no bug", describeError(error));
      return describeError(error);
    });
    note(`process ${process.pid} on machine ${machine} ends repair: ${how}`);
    process.end();
  };
  note(`process ${process.pid} on machine ${machine} begins repair`);
  void play();
  return process;
}

/**
 * Takes the ledger and returns the fencing token. If another process has the ledger, retries for over three minutes.
 */
async function takeLedger({ server, network }: SharedScene, process: SimulatedProcess): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await network.to(process).once(
        () => undefined,
        () => server.take(String(process.pid), WRITER_LEASE_MS),
      );
    } catch (error) {
      if (tries > 100) throw error;
      await process.clock.sleep(AGAIN_MS);
    }
  }
}

function renew(
  { server, network }: SharedScene,
  { clock, ...process }: SimulatedProcess,
  fence: number,
): AbortController {
  const over = new AbortController();
  const connection = network.to({ clock, ...process });
  const repeat = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await clock.sleep(RENEWAL_MS, over.signal);
      await connection.retryIfLost(() => server.renew(fence, WRITER_LEASE_MS)).catch(() => undefined);
    }
  };
  void repeat();
  return over;
}

function startedWorker(scene: SharedScene, run: string, machine: number): StartedProcess {
  const { pid, ended, stop, kill } = startWorker(scene, run, machine);
  return { pid, ended: ended.then(() => ({})), stop, kill };
}

/** Starts a process that runs `migrate worker` on a machine. */
export function startWorker(scene: SharedScene, run: string, machine = 0): SimulatedProcess {
  const process = newProcess(scene, machine);
  const { note, witness } = scene;
  const play = async (): Promise<void> => {
    const how = await worked(scene, process, run).catch((error: unknown) => {
      if (!(error instanceof Failure)) witness.addViolation("no bug", describeError(error));
      isOutdated(scene, error);
      return error instanceof Failure ? error.code : "bug";
    });
    note(`process ${process.pid} ends work: ${how}`);
    process.end();
  };
  void play();
  return process;
}

async function worked(scene: SharedScene, process: SimulatedProcess, run: string): Promise<string> {
  const { dice, server, network, operation, pace, folders, witness, note } = scene;
  const { clock, drain, pid } = process;
  const isCurrent = witness.restores();
  await clock.sleep(between(dice, 300, 3_000));
  note(`process ${pid} works on ${run}`);
  const http = watchedHttp(scene, process);
  const baseUrl = new URL("https://platform.example/v1/");
  const authorisation = createAuthorisation({
    http,
    baseUrl,
    credentials: { kind: "api-key", apiKey: "key" },
    clock,
  });
  const steps = createStepClients(operation, { http, baseUrl, authorisation, userAgent: "simulation", clock });
  const shared: SharedRun = modelSharedRun(run, { server, connection: network.to(process), clock });
  const working = {
    ...sendingOf(scene),
    run: { id: run },
    shared,
    worker: { host: hostname(), pid },
    connection: { steps, quietMs: QUIET_MS, onlyWhile: () => undefined },
    pace,
    onUnsaved: async (unsaved: WorkEnd["unsaved"]) => note(`process ${pid} could not write ${unsaved.length} outcomes`),
    dependencies: {
      drain,
      abort: new AbortController().signal,
      clock,
      random: dice,
      onProgress: (event: RunEvent) => note(`process ${pid}: ${JSON.stringify(event)}`),
      notice: (text: string) => note(`process ${pid}: ${text}`),
    },
  };
  const end = await (folders === undefined
    ? workUntilDone(working)
    : workJournaled(SERVER_STORE, working, { ...working.dependencies, ...journalTools(folders, process, note) }));
  isOutdated(scene, end.failure);
  const isComplete = end.reason === "done" && end.failure === undefined;
  if (isComplete && isCurrent()) witness.checkAllSent(server.status(run));
  return `${end.reason} ${end.failure?.code ?? ""} ${end.failure?.message ?? ""}`;
}

/** Longer than the platform takes to process any request (at most 150 s). */
const QUIET_MS = 180_000;

/**
 * Returns the HTTP client of a process. A dead process never continues. A frozen process receives replies when it
 * wakes.
 */
function watchedHttp(
  { clock, platform, witness, stalls, dice, workers }: SharedScene,
  process: SimulatedProcess,
): Http {
  return async (request) => {
    const at = clock.monotonic();
    if (dice() < stalls.share) process.freeze(between(dice, 100, 3 * workers.leaseMs));
    await process.untilThawed();
    witness.requestSent(request, process, clock.monotonic() > at);
    try {
      return await platform.http(request);
    } finally {
      await process.untilThawed();
    }
  };
}

function newProcess({ processes, clock }: SharedScene, machine: number): SimulatedProcess {
  const process = createProcess(processes.length + 1, machine, clock);
  processes.push(process);
  return process;
}

function policyOf(operation: Operation): PlanPolicy {
  return {
    revise: false,
    resendAmbiguous: canResolveAmbiguous(operation),
    keyAttr: "external_account_number",
    fileCells: new Map(),
  };
}

function itemsOf({ records, operation, corrected }: SharedScene): readonly PlannedItem[] {
  return records.map((one) => ({
    record: one.record,
    key: one.key,
    ...marksOf(one, operation, corrected),
    file: "a.json",
    line: one.record,
    status: "valid",
    problems: [],
  }));
}

function isOpen(outcome: Outcome, operation: Operation): boolean {
  return outcome.status === "pending" || outcome.status === "blocked" || mayResumeSettle(outcome, operation);
}

function stampOf({ clock }: SharedScene): string {
  return new Date(clock.now()).toISOString();
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
