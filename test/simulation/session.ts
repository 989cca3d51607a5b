import { packItems } from "../../src/ledger/packed/packed-items.ts";
import { canResolveAmbiguous, type Operation } from "../../src/contract/operations/operation.ts";
import { endpointOf } from "../../src/job/endpoint.ts";
import { mayResumeSettle } from "../../src/pipeline/run/next-command.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Run } from "../../src/ledger/records/run.ts";
import type { PlanPolicy } from "../../src/ledger/records/planned-item.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { quietBeforeResend, waitForOtherContent } from "../../src/pipeline/send/quiet-period.ts";
import { journaled } from "../../src/pipeline/send/send-records.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { createAuthorisation } from "../../src/platform/auth/create-authorisation.ts";
import { createStepClients, type StepClient } from "../../src/platform/import/step-clients.ts";
import type { Http, HttpReply } from "../../src/transport/http.ts";
import type { RecordToSend, UploadEnd } from "../../src/upload/upload-types.ts";
import { upload } from "../../src/upload/upload.ts";
import { between, type Dice, pickWeighted } from "../seeded-dice.ts";
import type { Witness } from "./invariants.ts";
import { type ModelPlatform, partsOf } from "./model-platform.ts";
import { killableLedger, type WriteFault } from "./killable-ledger.ts";
import type { JournaledLedger, Restores } from "./restored-ledger.ts";
import { type Killable, never, type SimulatedClock } from "./simulated-clock.ts";
import type { ChangingInput } from "./changing-input.ts";
import { marksOf, payloadOf, type SimulatedRecord, SUPPLIER, TARGET } from "./simulated-record.ts";

/** A simulated migration: its records, its platform and its ledger. */
export interface Job {
  readonly clock: SimulatedClock;
  readonly random: Dice;
  readonly operation: Operation;
  readonly platform: ModelPlatform;
  readonly witness: Witness;
  readonly input: ChangingInput;
  readonly concurrency: "auto" | number;
  readonly rps: number | undefined;
  /** Whether the run waits while the import supplier is closed. */
  readonly waits: boolean;
  readonly ledgerPath: string;
  /** Wraps each opened ledger; used to inject bugs. */
  readonly wrapLedger: (ledger: Ledger) => Ledger;
  /** Time during which the platform may still process an abandoned request, in milliseconds. */
  readonly quietMs: number;
  readonly note: (event: string) => void;
  /** Replaces the ledger with older copies. Absent: the ledger is never replaced, and no journal is kept. */
  readonly restores?: Restores | undefined;
}

export interface SessionOptions {
  readonly dice: Dice;
  readonly how: "push" | "resume";
  /** Whether a push sends changes of accepted records. */
  readonly revise: boolean;
  /** Whether no fault is injected into the process. */
  readonly calm: boolean;
}

/** The next command of the user. */
type Next = "push" | "push --revise" | "resume";

export interface SessionEnd {
  readonly reason: UploadEnd["reason"] | "killed";
  /** Whether the ledger contains a run with a complete plan. */
  readonly hasRun: boolean;
  /** Whether no record is left that another session might settle. */
  readonly isSettled: boolean;
  /** The next command of the user; default: `resume`. */
  readonly next?: Next;
  /** Whether some records are ambiguous and need `reconcile`. */
  readonly hasRefused?: boolean;
  /** Whether the ledger was replaced while the process used it. */
  readonly isReplaced?: boolean;
}

/** Runs one process, which opens the ledger, starts or resumes a run, uploads, and ends or is killed. */
export async function createSession(job: Job, options: SessionOptions): Promise<SessionEnd> {
  const { note, witness, ledgerPath, clock } = job;
  note(`begins ${options.how}`);
  const opened = await job.restores?.open();
  const ledger = job.wrapLedger(opened?.ledger ?? (await openLedger({ path: ledgerPath, clock })));
  witness.begin();
  try {
    const run = await prepared(job, ledger, await commandFor(job, options, { ledger, opened }));
    witness.sending(run);
    const inUse = options.calm ? undefined : job.restores?.whileInUse();
    const end = await journaledUpload(job, { ledger, opened }, run, options);
    note(`ends ${describeEnd(end)}`);
    const isReplaced = inUse?.end() === true;
    if (end === "killed") {
      if (!isReplaced) witness.killed(await outcomesOf(ledger, run.id), run.rows);
      return { reason: end, hasRun: true, isSettled: false, isReplaced };
    }
    if (isReplaced) return { reason: end.reason, hasRun: true, isSettled: false, isReplaced };
    await ledger.finishRun(run.id, (await ledger.summary(run.id)).exitCode);
    const outcomes = await outcomesOf(ledger, run.id);
    const summary = await ledger.summary(run.id);
    witness.checkOutcomes(outcomes, { unsaved: end.unsaved.length, summary, rows: run.rows });
    const isSettled = !outcomes.some((one) => isOpen(one, job.operation));
    const hasRefused = outcomes.some(({ status }) => status === "ambiguous");
    const next = nextCommand(job, run, { end, isSettled });
    return { reason: end.reason, hasRun: true, isSettled, hasRefused, next };
  } finally {
    await ledger.close();
  }
}

/** A run that was started or resumed. */
interface PlannedRun {
  readonly id: string;
  readonly rows: readonly SimulatedRecord[];
  readonly revise: boolean;
}

/**
 * Returns the command that continues after a run. `resume` sends no change of an accepted record whose last request got
 * no clear reply, unless the run revises. If each revision creates a second account, such a run cannot continue.
 */
function nextCommand(
  { input, operation }: Job,
  { revise }: PlannedRun,
  { end, isSettled }: { readonly end: UploadEnd; readonly isSettled: boolean },
): Next {
  if (!input.isChanging) return "resume";
  if (revise) return end.failure !== undefined && !canResolveAmbiguous(operation) ? "push" : "resume";
  return end.reason === "done" && !isSettled ? "push --revise" : "resume";
}

function describeEnd(end: UploadEnd | "killed"): string {
  return end === "killed" ? end : `${end.reason} ${end.failure?.code ?? ""} ${JSON.stringify(end.counts)}`;
}

/**
 * Returns the command that the user would run: a push or resume after a repair, and a push if nothing can be resumed.
 */
async function commandFor(job: Job, command: Command, { ledger, opened }: OpenLedger): Promise<Command> {
  if (opened === undefined || job.restores === undefined) return command;
  const run = await ledger.findRun();
  // `resume` would be refused if there is no run, or if the input has changed since the run was planned.
  if (run === undefined || settingsOf(run).input !== job.input.version()) return { ...command, how: "push" };
  return opened.isRepaired ? { ...command, how: job.restores.afterRepair() } : command;
}

type Command = Pick<SessionOptions, "how" | "revise">;

/** The recorded settings of a run: the version of its input, and whether it sends changes of accepted records. */
function settingsOf({ settings }: Pick<Run, "settings">): { readonly input: unknown; readonly revise: boolean } {
  const { input, revise }: Record<string, unknown> = { ...Object(settings) };
  return { input, revise: revise === true };
}

interface OpenLedger {
  readonly ledger: Ledger;
  readonly opened: JournaledLedger | undefined;
}

async function journaledUpload(
  job: Job,
  open: OpenLedger,
  run: PlannedRun,
  options: SessionOptions,
): Promise<UploadEnd | "killed"> {
  await open.opened?.journal.begin(run.id);
  const end = await uploaded(job, open, run, options);
  await (end === "killed" ? open.opened?.abandon() : open.opened?.journal.end());
  return end;
}

function isOpen(outcome: Outcome, operation: Operation): boolean {
  return outcome.status === "pending" || outcome.status === "blocked" || mayResumeSettle(outcome, operation);
}

async function outcomesOf(ledger: Ledger, run: string): Promise<readonly Outcome[]> {
  const all: Outcome[] = [];
  for await (const batch of ledger.outcomes(run)) all.push(...batch);
  return all;
}

async function prepared(job: Job, ledger: Ledger, { how, revise }: Command): Promise<PlannedRun> {
  const policy: Omit<PlanPolicy, "revise"> = {
    resendAmbiguous: canResolveAmbiguous(job.operation),
    scheduledStep: job.operation.steps.find(({ poll }) => poll !== undefined)?.name,
    keyAttr: "external_account_number",
    fileCells: new Map(),
  };
  if (how === "resume") {
    const run = (await ledger.findRun()) ?? { id: "", settings: {} };
    const settings = settingsOf(run);
    await ledger.resumeRun(run.id, { ...policy, revise: settings.revise });
    return { id: run.id, rows: job.input.rows(Number(settings.input)), revise: settings.revise };
  }
  const input = job.input.version();
  const rows = job.input.rows(input);
  const { id } = await ledger.startRun({
    command: "push",
    target: TARGET,
    supplier: SUPPLIER,
    operation: job.operation.id,
    endpoint: endpointOf(`https://${TARGET}`, job.operation),
    settings: { input, revise },
    dryRun: false,
    startedAt: new Date(job.clock.now()).toISOString(),
  });
  const items = rows.map((one) => ({
    record: one.record,
    key: one.key,
    ...marksOf(one, job.operation),
    file: "a.csv",
    line: one.record + 1,
    status: "valid" as const,
    problems: [],
  }));
  await ledger.plan(id, packItems(items));
  await ledger.finishPlan(id, { ...policy, revise });
  return { id, rows, revise };
}

/** Runs the upload and advances the time, until the upload ends or the process is killed. */
async function uploaded(
  job: Job,
  { ledger, opened }: OpenLedger,
  run: PlannedRun,
  options: SessionOptions,
): Promise<UploadEnd | "killed"> {
  const process = createProcess();
  const drain = new AbortController();
  const abort = new AbortController();
  schedule(job, options, { process, drain, abort });
  const clock = job.clock.of(process);
  const http = watchedHttp(job, process);
  const baseUrl = new URL("https://platform.example/v1/");
  const credentials = { kind: "api-key", apiKey: "key" } as const;
  const authorisation = createAuthorisation({ http, baseUrl, credentials, clock });
  const tools = { http, baseUrl, authorisation, userAgent: "simulation", clock };
  const steps = createStepClients(job.operation, tools).map((step) => watchedStep(step, job));
  const watched = killableLedger(ledger, {
    process,
    fault: writeFaults(options),
    durable: job.witness.durable,
    note: job.note,
  });
  const { waits, rps, concurrency, random, note } = job;
  const send = async (): Promise<UploadEnd> => {
    const environment = { clock, drain: drain.signal, notice: note };
    const connection = { steps, quietMs: job.quietMs, onlyWhile: () => undefined };
    const msSince = (): Promise<number | undefined> => ledger.msSinceOtherContent(run.id);
    await waitForOtherContent(job.operation.outcomes, msSince, connection, environment);
    const quietMs = await quietBeforeResend({ ledger, run }, connection, environment);
    return upload(
      () => due(job, ledger, run),
      {
        ledger: journaled(watched, opened?.journal),
        steps,
        clock,
        random,
        onProgress: (event) => note(JSON.stringify(event)),
      },
      {
        run: run.id,
        concurrency,
        oneSupplier: true,
        drain: ledger.lease === undefined ? drain.signal : AbortSignal.any([drain.signal, ledger.lease.lost]),
        abort: abort.signal,
        trustNotFoundFrom: clock.monotonic() + quietMs,
        ...(rps !== undefined && { rps }),
        ...(waits && { waitForSupplier: { forMs: 1_000_000 } }),
      },
    );
  };
  const end = await passTime(job, Promise.race([send(), process.killed]));
  process.end();
  return end;
}

interface Process extends Killable {
  readonly kill: () => void;
  /** Called when the process has ended on its own, so that scheduled faults no longer apply. */
  readonly end: () => void;
  readonly isOver: () => boolean;
  readonly killed: Promise<"killed">;
}

function createProcess(): Process {
  const death = new AbortController();
  let isOver = false;
  return {
    isOver: () => isOver,
    end() {
      isOver = true;
    },
    isDead: () => death.signal.aborted,
    kill: () => death.abort(),
    killed: new Promise((resolve) => {
      death.signal.addEventListener("abort", () => resolve("killed"));
    }),
  };
}

interface Ends {
  readonly process: Process;
  readonly drain: AbortController;
  readonly abort: AbortController;
}

/** May end the process early, at a random time: by a kill, a drain or an abort. */
function schedule(job: Job, { dice, calm }: SessionOptions, { process, drain, abort }: Ends): void {
  const { clock, witness, note } = job;
  const at = between(dice, 0, dice() < 0.7 ? 1_500 : 60_000);
  const how = calm ? "nothing" : pickWeighted(dice, ENDS);
  const stop = async (): Promise<void> => {
    await clock.sleep(at);
    if (process.isDead() || process.isOver()) return;
    note(how);
    if (how === "kill") process.kill();
    else {
      drain.abort();
      witness.drained();
    }
    if (how !== "abort") return;
    await clock.sleep(between(dice, 0, 500));
    abort.abort();
  };
  if (how !== "nothing") void stop();
}

const ENDS: readonly (readonly [number, "nothing" | "kill" | "drain" | "abort"])[] = [
  [3, "nothing"],
  [3, "kill"],
  [1, "drain"],
  [1, "abort"],
];

/**
 * Returns a function that returns the fault of the next write. At most one series of consecutive writes fails per
 * session.
 */
function writeFaults({ dice, calm }: SessionOptions): () => WriteFault {
  const kind: WriteFault = calm
    ? "none"
    : pickWeighted<WriteFault>(dice, [
        [4, "none"],
        [1, "full"],
        [1, "full-after"],
        [2, "killed"],
        [2, "killed-after"],
      ]);
  const first = between(dice, 1, 30);
  const last = first + (dice() < 0.5 ? 0 : between(dice, 1, 5));
  let writes = 0;
  return () => {
    writes += 1;
    return writes >= first && writes <= last ? kind : "none";
  };
}

function watchedHttp({ platform, witness }: Job, process: Killable): Http {
  return async (request) => {
    if (process.isDead()) await never();
    witness.requestSent(request);
    let reply: HttpReply | undefined;
    try {
      reply = await platform.http(request);
      return reply;
    } finally {
      if (process.isDead()) await never();
      witness.requestEnded(request, reply);
    }
  };
}

function watchedStep(step: StepClient, { witness }: Job): StepClient {
  return {
    ...step,
    send(payload, ...how) {
      witness.recordTaken(partsOf({ url: NOWHERE, body: JSON.stringify(payload) }).key);
      return step.send(payload, ...how);
    },
  };
}

const NOWHERE = new URL("https://platform.example/");

const BATCH = 10;

async function* due(
  { witness }: Job,
  ledger: Ledger,
  { id, rows, revise }: PlannedRun,
): AsyncGenerator<readonly RecordToSend[]> {
  for (let from = 1; from <= rows.length; from += BATCH) {
    const found = await ledger.sendable(id, from, Math.min(from + BATCH - 1, rows.length));
    const batch = found.flatMap((item): readonly RecordToSend[] => {
      const one = rows[item.record - 1];
      if (one === undefined) return [];
      if (revise && item.prior === "accepted") witness.revising(one.key, item.account ?? "");
      return [{ ...item, payload: payloadOf(one), supplier: SUPPLIER, locate: () => undefined }];
    });
    if (batch.length > 0) yield batch;
  }
}

/** Longer than any timeout of the product. */
const MAX_MS = 24 * 3_600_000;
const IDLE_TURNS = 50;

async function passTime<T>(job: Job, ended: Promise<T>): Promise<T> {
  const { clock } = job;
  const until = clock.monotonic() + MAX_MS;
  const flag = { over: false };
  const over = (): void => {
    flag.over = true;
  };
  ended.then(over, over);
  for (let idle = 0; !flag.over;) {
    await new Promise(setImmediate);
    if (flag.over) break;
    idle = clock.step() ? 0 : idle + 1;
    if (idle > IDLE_TURNS || clock.monotonic() > until) throw new Error("the upload does not end");
  }
  return ended;
}
