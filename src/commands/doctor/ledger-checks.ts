import { access, constants, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { instanceOf } from "../../job/endpoint.ts";
import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import { hostOf } from "../../job/target-connection.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure, FAILURES, recover } from "../../model/failure.ts";
import { STATUSES, type Summary } from "../../model/outcome.ts";
import { readRunLedger, unlessEmpty } from "../../pipeline/run/run-ledger.ts";
import { requireSameDestination } from "../../pipeline/run/same-destination.ts";
import { counted, countsByName } from "../../text/count.ts";
import { type Check, checked, failed, failedBy, formatBytes, inspect, ok } from "./check.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";

export interface LedgerOptions {
  /** Locator of the ledger: the path of its file, or its URL. */
  readonly ledger: string;
  readonly target: TargetSettings | undefined;
  readonly supplier: string | undefined;
  /** The number of records in the input; absent if the records were not counted. */
  readonly records: number | undefined;
}

const AMBIGUOUS_EXIT_CODE = 5;

/** Checks the disk space for the ledger, the ledger itself, and its runs. Changes nothing. */
export async function* ledgerChecks(options: LedgerOptions): AsyncGenerator<Check> {
  const store = await openLedgerStore(options.ledger);
  yield await checked("disk", () => diskCheck(store, options.records));
  const { check, found: exists } = await inspect("ledger", () => integrityCheck(store));
  const requireWritable = async (): Promise<Check> => {
    await store.requireWritable?.();
    return check;
  };
  yield check.status === "ok" ? await checked("ledger", requireWritable) : check;
  if (exists !== true) return;
  const checkRuns = (): Promise<readonly Check[]> =>
    readRunLedger(store, (ledger) => checksOfRuns(store, ledger, options));
  yield* await recover(checkRuns, (failure) => [failedBy("runs", failure)]);
}

/**
 * Estimated ledger size per record, in bytes. The demo needs 770 bytes per record, and a run temporarily needs more.
 */
const LEDGER_BYTES_PER_RECORD = 1000;
const MIN_FREE_BYTES = 100_000_000;

/**
 * With PostgreSQL, the folder contains only reports and copies of standard input. For a ledger in a file, advises
 * another location only before the first push, because a later push with another ledger would send all records again.
 */
async function diskCheck({ folder, server }: LedgerStore, records: number | undefined): Promise<Check> {
  const [content, otherPlace] =
    server === undefined
      ? ["the ledger", "; before the first push, you can also choose another location with --ledger"]
      : ["reports", ", or run the command in another folder"];
  const existing = await nearestFolder(path.resolve(folder));
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const wanted = Math.max(MIN_FREE_BYTES, (records ?? 0) * LEDGER_BYTES_PER_RECORD);
  const figures = { freeBytes: free, wantedBytes: wanted };
  const text = `${formatBytes(free)} free for ${content} in ${folder}`;
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    return failed("disk", `${existing} cannot be written to`, {
      exitCode: FAILURES.storage,
      fix: `grant write access to it${otherPlace}`,
      figures,
    });
  }
  if (free >= wanted) return ok("disk", text, { figures });
  return failed("disk", `${text}, and about ${formatBytes(wanted)} is needed`, {
    exitCode: FAILURES.storage,
    fix: `free some space${otherPlace}`,
    figures,
  });
}

/**
 * Returns the folder or its nearest existing ancestor, because the ledger's folder does not exist before the first
 * push.
 */
async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  const parent = path.dirname(folder);
  return found?.isDirectory() === true || parent === folder ? folder : nearestFolder(parent);
}

async function integrityCheck(store: LedgerStore): Promise<{ readonly check: Check; readonly found: boolean }> {
  const result = await unlessEmpty(() => store.check());
  if (result === undefined)
    return { check: ok("ledger", `${store.name} does not exist yet; the first push creates it`), found: false };
  const { findings, counts } = result;
  const figures = { ...counts, findings: findings.length };
  const [first] = findings;
  if (first === undefined) {
    const held = `${counted(counts.runs, "run")}, ${counted(counts.records, "record")}`;
    return { check: ok("ledger", `${store.name} is intact: ${held}`, { figures }), found: true };
  }
  const more = findings.length > 1 ? ` (and ${counted(findings.length - 1, "more finding")})` : "";
  const repairHint = store.repair === undefined ? "" : "; `migrate ledger repair` repairs the ledger";
  const fix = `\`migrate ledger check\` lists all findings${repairHint}`;
  return { check: failed("ledger", `${first}${more}`, { exitCode: FAILURES.storage, fix, figures }), found: true };
}

async function checksOfRuns(
  store: LedgerStore,
  ledger: Ledger,
  { target, supplier }: LedgerOptions,
): Promise<readonly Check[]> {
  const runs = await ledger.runs();
  const active = await store.activeRun();
  const [latest] = runs;
  if (latest === undefined) return [ok("last run", "none yet")];
  const destination =
    target === undefined ? [] : await otherDestination(ledger, store.name, { target, supplier: supplier ?? "" });
  const last = latest.id === active ? inUse(latest) : lastRun(latest, await ledger.summary(latest.id));
  return [...destination, last, await ambiguousCheck(ledger, runs, active)];
}

/** Returns a failed check if the records in the ledger were sent to another destination; otherwise no check. */
async function otherDestination(
  ledger: Ledger,
  name: string,
  { target, supplier }: { readonly target: TargetSettings; readonly supplier: string },
): Promise<readonly Check[]> {
  try {
    const here = { host: hostOf(target), instance: instanceOf(target.baseUrl), supplier };
    await requireSameDestination(ledger, name, here);
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code === "wrong_target" ? [failedBy("ledger's target", error)] : [];
  }
}

function inUse(run: Run): Check {
  const { id, target } = run;
  if (settingsIfKnown(run)?.workers !== undefined)
    return ok("last run", `${id} to ${target} is still active, and the same push would join it`);
  return failed("last run", `${id} to ${target} is still active, so no other run can start`, {
    exitCode: FAILURES.ledger_in_use,
    fix: "wait until it has ended (`migrate status`)",
  });
}

function lastRun({ id, exitCode, dryRun, target }: Run, { counts }: Summary): Check {
  const known = countsByName(counts, STATUSES);
  const what = dryRun ? "(dry run)" : `to ${target}`;
  const text = `${id} ${what}: ${known.join(", ") || "no records"}`;
  const left = (counts.pending ?? 0) + (counts.blocked ?? 0);
  if (dryRun || (exitCode !== undefined && left === 0)) return ok("last run", text);
  const state = exitCode === undefined ? "interrupted" : "incomplete";
  const fix = exitCode === FAILURES.usage ? "correct the cause, then push again" : `migrate resume ${id}`;
  return failed("last run", `${text}; ${state}`, { exitCode: FAILURES.incomplete, fix });
}

/**
 * Checks the runs that may contain ambiguous records: unfinished runs, and runs that ended with exit code 3 or higher.
 */
async function ambiguousCheck(ledger: Ledger, runs: readonly Run[], active: string | undefined): Promise<Check> {
  const open = runs.filter(({ id, dryRun, exitCode }) => {
    return !dryRun && id !== active && (exitCode === undefined || exitCode >= FAILURES.incomplete);
  });
  const left: { readonly id: string; readonly ambiguous: number }[] = [];
  for (const { id } of open) {
    const { ambiguous = 0 } = (await ledger.summary(id)).counts;
    if (ambiguous > 0) left.push({ id, ambiguous });
  }
  const [latest, ...earlier] = left;
  if (latest === undefined) return ok("ambiguous", "no record has an unknown outcome");
  const more = earlier.length === 0 ? "" : `, and records of ${counted(earlier.length, "earlier run")}`;
  return failed("ambiguous", `unknown outcome: ${counted(latest.ambiguous, "record")} of run ${latest.id}${more}`, {
    exitCode: AMBIGUOUS_EXIT_CODE,
    fix: `migrate reconcile ${latest.id}`,
    figures: { ambiguous: latest.ambiguous, earlierRuns: earlier.length },
  });
}
