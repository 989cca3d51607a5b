import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore, StoreOptions } from "../../ledger/ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { Status, Summary } from "../../model/outcome.ts";
import { counted } from "../../text/count.ts";

export interface RunSelection {
  /** Locator of the ledger: the path of its file, or its URL. */
  readonly ledger: string;
  /** Id of the run, or a prefix of it. Default: the latest run. */
  readonly run?: string | undefined;
}

/**
 * Returns the run with this id. Without an id, returns the latest run that appears in lists.
 * @throws Failure `run_unknown` if there is no such run
 */
export async function requireRun(ledger: Ledger, id: string | undefined): Promise<Run> {
  const found = await ledger.findRun(id);
  const run = id === undefined && found !== undefined && isUnlisted(found) ? listedRuns(await ledger.runs())[0] : found;
  if (run !== undefined) return run;
  throw new Failure("run_unknown", id === undefined ? "the ledger has no runs" : `the ledger has no run ${id}`, {
    hint: id === undefined ? "start one with `migrate push`" : "list the runs with `migrate status`",
  });
}

/** @throws Failure `usage` if the user asks for all runs and for one run */
export function refuseRunWithAll(all: boolean, id: string | undefined): void {
  if (all && id !== undefined)
    throw new Failure("usage", "--all cannot be combined with a run", { hint: "use only one of the two" });
}

/** Returns the runs to show in lists. Omits unlisted runs, except the active run. */
export function listedRuns(runs: readonly Run[], active?: string): readonly Run[] {
  return runs.filter((run) => run.id === active || !isUnlisted(run));
}

function isUnlisted(run: Run): boolean {
  return settingsIfKnown(run)?.isUnlisted === true;
}

/** Returns the result of `read`; undefined if there is no ledger yet, or if the ledger has no runs. */
export async function unlessEmpty<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.code === "run_unknown") return undefined;
    throw error;
  }
}

/** Opens the ledger for one query and closes it. Another process may write to the ledger in the meantime. */
export async function readRunLedger<T>(store: LedgerStore, ask: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await store.read();
  try {
    return await ask(ledger);
  } finally {
    await ledger.close();
  }
}

/**
 * Reports the ambiguous records that no push has planned, because a repair found only their requests. The ledger knows
 * neither their keys nor their rows, so no run or list contains them. Returns their number.
 */
export async function noteUnplanned(ledger: Ledger, notice: StoreOptions["notice"]): Promise<number> {
  const count = await ledger.unplannedRecords();
  if (count > 0) {
    const [keys, their, them] = count === 1 ? ["an unknown key", "its", "it"] : ["unknown keys", "their", "them"];
    const records = `${counted(count, "ambiguous record")} with ${keys}`;
    const what = `${records}: \`migrate ledger repair\` found only ${their} requests`;
    notice?.(`${what}. Repeat the push of the input that contains ${them}, then run \`migrate reconcile\``);
  }
  return count;
}

/**
 * Whether the run sent a record. If it did not, its target may have been a mistake, so later runs may use a different
 * target.
 */
export async function hasSent(ledger: Ledger, { id, dryRun }: Run): Promise<boolean> {
  if (dryRun) return false;
  const { counts } = await ledger.summary(id);
  if (SENT_STATUSES.some((status) => (counts[status] ?? 0) > 0)) return true;
  // A record that waits for another record (`after` in the mapping) is also blocked, but has no request.
  return (counts.blocked ?? 0) > (await countUnrequested(ledger, id, "blocked"));
}

const SENT_STATUSES: readonly Status[] = ["accepted", "rejected", "existing", "ambiguous"];

/** Counts the ambiguous records of the run that an earlier run sent, and that this run has not sent. */
export async function countAmbiguousBefore(
  ledger: Pick<Ledger, "outcomes">,
  run: string,
  { ambiguous = 0 }: Summary["counts"],
): Promise<number> {
  return ambiguous === 0 ? 0 : countUnrequested(ledger, run, "ambiguous");
}

/** Counts the records with this status for which the run has made no request. */
async function countUnrequested(ledger: Pick<Ledger, "outcomes">, run: string, status: Status): Promise<number> {
  let count = 0;
  for await (const batch of ledger.outcomes(run, { statuses: [status] }))
    count += batch.filter(({ attempts = 0 }) => attempts === 0).length;
  return count;
}

/**
 * Returns all runs except dry runs, oldest first.
 * @throws Failure `run_unknown` if there are none
 */
export function sendingRuns(ledger: Ledger): Promise<readonly Run[]> {
  return runsThat(ledger, ({ dryRun }) => !dryRun);
}

/**
 * Returns the runs that may have sent records, oldest first. A run that ended before it had read its whole input sent
 * none, and its input may be unreadable.
 * @throws Failure `run_unknown` if there are none
 */
export function plannedRuns(ledger: Ledger): Promise<readonly Run[]> {
  return runsThat(ledger, ({ dryRun, state }) => !dryRun && state !== "planning");
}

async function runsThat(ledger: Ledger, isWanted: (run: Run) => boolean): Promise<readonly Run[]> {
  const runs = (await ledger.runs()).filter(isWanted).toReversed();
  if (runs.length > 0) return runs;
  throw new Failure("run_unknown", "the ledger has no run that sent records", {
    hint: "start a push with `migrate push`",
  });
}
