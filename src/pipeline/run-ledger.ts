import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import type { Ledger, Run } from "../ledger/ledger.ts";
import type { LedgerStore } from "../ledger/ledger-store.ts";
import { openTemporaryLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import { BUG_EXIT_CODE, Failure } from "../model/failure.ts";
import type { Status } from "../model/outcome.ts";
import type { RunHandle } from "./plan-records.ts";

/**
 * The run with this id, or the latest.
 * @throws Failure `run_unknown`
 */
export async function requireRun(ledger: Ledger, id: string | undefined): Promise<Run> {
  const run = await ledger.findRun(id);
  if (run !== undefined) return run;
  throw new Failure("run_unknown", id === undefined ? "the ledger holds no run" : `the ledger holds no run ${id}`, {
    hint: id === undefined ? "start one with `migrate push`" : "see the runs with `migrate status`",
  });
}

/** Opens the ledger for one question, beside whoever is writing to it. */
export async function readRunLedger<T>(
  store: Pick<LedgerStore, "read">,
  ask: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await store.read();
  try {
    return await ask(ledger);
  } finally {
    await ledger.close();
  }
}

/** Does a run's work; when it fails, that is written down as the run's end. */
export async function finishOnFailure<T>({ ledger, run }: RunHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const exitCode = error instanceof Failure ? error.exitCode : BUG_EXIT_CODE;
    await ledger.finishRun(run, exitCode).catch(() => undefined);
    throw error;
  }
}

/** A run that sends nothing, alone in a ledger that is gone when it is closed. */
interface TemporaryRun {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly close: () => Promise<void>;
}

/** Starts the run of a command that only reads the job's input. @throws Failure `storage` */
export async function openTemporaryRun(
  command: "validate" | "documents check",
  job: Job,
  { temporaryFolder, clock }: Pick<Dependencies, "temporaryFolder" | "clock">,
): Promise<TemporaryRun> {
  const ledger = await openTemporaryLedger(temporaryFolder, { large: isLarge(job) });
  const close = (): Promise<void> => ledger.close();
  try {
    const run = await ledger.startRun({
      command,
      target: "",
      supplier: job.settings.supplier ?? "",
      operation: job.operation.id,
      settings: {},
      dryRun: false,
      startedAt: new Date(clock.now()).toISOString(),
    });
    return { ledger, run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** From here on a second thread for the plan is started sooner than it has paid for itself. */
const LARGE_BYTES = 8_000_000;

function isLarge({ input }: Job): boolean {
  return input.files.reduce((sum, { bytes }) => sum + bytes, 0) >= LARGE_BYTES;
}

/** What a run sends to. */
interface Destination {
  readonly host: string;
  readonly supplier: string;
}

/**
 * Holds a ledger to the host and the import supplier that its first records went to. What it knows of a record is true
 * there alone: with a slip of `--target` everything would be sent anew, to another platform.
 * @throws Failure `wrong_target`
 */
export async function requireSameDestination(
  ledger: Ledger,
  name: string,
  { host, supplier }: Destination,
): Promise<void> {
  const others = (await ledger.runs()).filter((run) => run.target !== host || run.supplier !== supplier);
  for (const run of others) if (await hasSent(ledger, run)) throw wrongDestination(name, run, { host, supplier });
}

/** A run that never got as far binds nothing: its target may have been the slip. */
async function hasSent(ledger: Ledger, { id, dryRun }: Run): Promise<boolean> {
  if (dryRun) return false;
  const { counts } = await ledger.summary(id);
  return SENT_STATUSES.some((status) => (counts[status] ?? 0) > 0);
}

const SENT_STATUSES: readonly Status[] = ["accepted", "rejected", "ambiguous", "blocked"];

function wrongDestination(name: string, { target, supplier }: Run, here: Destination): Failure {
  const [from, to] = target === here.host ? [`supplier ${supplier}`, here.supplier] : [target, here.host];
  return new Failure("wrong_target", `the ledger ${name} belongs to ${from}, and this run is for ${to}`, {
    hint: "check --target, --base-url and --supplier; if they are meant, use a ledger of their own: --ledger <path>",
  });
}
