import { type Dependencies, withoutRepeatedNotices } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { type Ledger, MAX_RECORD } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { ledgerFlag, openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { RecordVerification } from "../../ledger/records/verifications.ts";
import { Failure } from "../../model/failure.ts";
import { ON_PLATFORM, type Outcome, type Status } from "../../model/outcome.ts";
import { refuseRunWithAll, requireRun, plannedRuns, type RunSelection } from "../../pipeline/run/run-ledger.ts";
import { type PlatformAnswer, type PlatformCheck, openPlatformCheck } from "../../proof/platform-check.ts";
import { openUnchanged } from "../../proof/prove-run.ts";
import { type MappedTrace, PLATFORM_GROUP, acceptedRecord, mappedGroups } from "../../proof/trace-records.ts";
import { counted } from "../../text/count.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { timestamp } from "../../time/clock.ts";

export interface CompareOptions extends RunSelection {
  /** Whether to compare the records of every run that sent records. */
  readonly all: boolean;
  /** Whether to look up only records that have not been compared since they were accepted. */
  readonly unverified: boolean;
}

export interface CompareSummary {
  readonly counts: Readonly<Record<ComparisonResult, number>>;
  /** False if the user stopped the command. */
  readonly isComplete: boolean;
}

/**
 * Compares accepted records with the platform and passes the results to `add` in batches, latest run first. Stores each
 * batch in the ledger before it passes the batch on.
 */
export async function compare(
  { ledger: locator, run: id, all, unverified }: CompareOptions,
  environment: Dependencies,
  add: (batch: readonly Comparison[]) => Promise<void> | void,
): Promise<CompareSummary> {
  refuseRunWithAll(all, id);
  const dependencies = withoutRepeatedNotices(environment);
  const counts = { same: 0, different: 0, absent: 0, unknown: 0, replaced: 0, verified: 0 };
  const store = await openLedgerStore(locator, dependencies);
  const ledger = await store.write("compare", { create: false });
  try {
    const runs = all ? (await plannedRuns(ledger)).toReversed() : [await requireRun(ledger, id)];
    const statuses = all ? STATUSES_OF_ALL : STATUSES_OF_ONE;
    for (const run of runs) {
      for await (const batch of compareAccepted(run, { ledger, dependencies, statuses, unverified, all })) {
        await ledger.saveVerifications(run.id, batch.flatMap(verificationOf), timestamp(dependencies.clock));
        // With `--all`, a record is listed only in the run whose content is on the platform.
        const listed = all ? batch.filter(({ result }) => result !== "replaced") : batch;
        for (const { result } of listed) counts[result] += 1;
        await add(listed);
      }
    }
    await suggestResend(counts.absent, { ledger, locator, dependencies });
  } finally {
    await ledger.close();
  }
  const isComplete = !dependencies.drain.aborted;
  if (!all && isComplete && Object.values(counts).every((count) => count === 0))
    dependencies.notice("this run has no accepted records; --all compares the accepted records of all runs");
  return { counts, isComplete };
}

/**
 * Shows how to send absent records again, in the latest runs that can send them. A record that several runs contain is
 * counted in the latest of them.
 */
async function suggestResend(
  absent: number,
  { ledger, locator, dependencies }: Pick<CompareContext, "ledger" | "dependencies"> & { readonly locator: string },
): Promise<void> {
  if (absent === 0) return;
  const seen = new Set<string>();
  for (const { id } of (await plannedRuns(ledger)).toReversed()) {
    if (seen.size >= absent) return;
    const before = seen.size;
    for (const { identity } of await ledger.lost(id, 1, MAX_RECORD)) seen.add(Buffer.from(identity).toString("hex"));
    const found = seen.size - before;
    if (found === 0) continue;
    const command = shellCommand(["migrate", "reconcile", id, "--resend-all", String(found), ...ledgerFlag(locator)]);
    const subject = `${counted(found, "accepted record")} of run ${id} ${found === 1 ? "is" : "are"}`;
    dependencies.notice(`${subject} absent. If the platform has lost them, set them to pending with \`${command}\``);
  }
}

/**
 * Returns the verification to store. Empty for a comparison without a result or with an earlier result, because such a
 * comparison must not change the ledger.
 */
function verificationOf({ record, result, reason }: Comparison): readonly RecordVerification[] {
  if (reason === EARLIER) return [];
  return result === "same" || result === "different" || result === "absent" ? [{ record, verification: result }] : [];
}

/**
 * - `same`: the platform has the accepted value of every attr that could be compared
 * - `replaced`: the platform has since accepted different content for the record, so the record was not looked up
 * - `verified`: an earlier comparison found the same content
 */
type ComparisonResult = "same" | "different" | "absent" | "unknown" | "replaced" | "verified";

/** An accepted record and the result of its comparison with the platform. */
export interface Comparison {
  readonly run: string;
  readonly record: number;
  readonly key?: string;
  readonly source: Outcome["source"];
  readonly result: ComparisonResult;
  /** The attrs whose values differ. */
  readonly attrs?: readonly string[];
  /** The reason why the result is unknown, or that it is an earlier result. */
  readonly reason?: string;
}

interface CompareContext {
  readonly ledger: Ledger;
  readonly dependencies: Dependencies;
  /**
   * The statuses of the records to compare. If several runs plan a record with the same content, the record is
   * `accepted` in only one of these runs.
   */
  readonly statuses: ReadonlySet<Status>;
  /** Whether records that have been compared since they were accepted keep their earlier result. */
  readonly unverified: boolean;
  /** Whether all runs are compared. Some of them may have operations without a read-back. */
  readonly all: boolean;
}

/**
 * Reads the accepted records of a run back from the platform and compares them, in batches. A record whose payload
 * cannot be rebuilt from the sources is `unknown`. Ends early, without an error, if the user stops the command.
 * @throws Failure `config` if only this run is compared and the contract does not define how to read the records back,
 * and failures while connecting
 */
async function* compareAccepted(run: Run, context: CompareContext): AsyncGenerator<readonly Comparison[]> {
  const { ledger, dependencies, all } = context;
  const settings = settingsOf(run);
  const job = await openUnchanged(settings, context);
  if (job instanceof Failure) {
    yield* notCompared(run, job, context);
    return;
  }
  const opened: { readonly close: () => Promise<void> }[] = [];
  try {
    const blind = withoutReadBack(job);
    if (blind !== undefined && !all) throw blind;
    if (blind !== undefined) {
      yield* notCompared(run, blind, context);
      return;
    }
    const check = await openPlatformCheck(job, settings, dependencies, (one) => opened.push(one));
    for await (const group of mappedGroups({ ledger, run, job }, PLATFORM_GROUP)) {
      if (dependencies.drain.aborted) return;
      yield await compareGroup(run, group, check, context);
    }
  } finally {
    for (const one of opened) await one.close();
    await job.input.close();
  }
}

/** Yields the records of a run that cannot be looked up. They are `unknown`, unless the ledger has an answer. */
async function* notCompared(
  run: Run,
  { message }: Failure,
  context: CompareContext,
): AsyncGenerator<readonly Comparison[]> {
  for await (const batch of context.ledger.outcomes(run.id, { statuses: [...context.statuses] })) {
    const known = await knownAnswers(run, batch, context);
    yield batch.map((outcome) => comparisonOf(run, outcome, known(outcome.record) ?? unknown(message)));
  }
}

function withoutReadBack({ operation: { id, readBack } }: Job): Failure | undefined {
  if (readBack.length > 0) return undefined;
  return new Failure("config", `the contract does not say how to read back the records of "${id}"`, {
    hint: "name the operation with `x-migrate-read-back` (docs/contract.md)",
  });
}

async function compareGroup(
  run: Run,
  group: readonly MappedTrace[],
  check: PlatformCheck,
  context: CompareContext,
): Promise<readonly Comparison[]> {
  const accepted = group.flatMap((one) => {
    const { outcome, comparison } = one;
    const [asked] = acceptedRecord(one);
    if (asked === undefined || outcome === undefined || !context.statuses.has(outcome.status)) return [];
    return [{ asked, outcome, isAsPlanned: comparison === "same" }];
  });
  const known = await knownAnswers(
    run,
    accepted.map(({ outcome }) => outcome),
    context,
  );
  const answers = await check.ask(
    accepted.flatMap(({ asked, isAsPlanned }) => (isAsPlanned && known(asked.record) === undefined ? asked : [])),
  );
  return accepted.map(({ outcome }) => {
    const answer = known(outcome.record) ?? answers.get(outcome.record);
    return comparisonOf(run, outcome, answer ?? unknown("its payload cannot be rebuilt from the sources"));
  });
}

/**
 * Returns the answers for records that need no lookup, because they were replaced or, with `unverified`, compared
 * earlier. An earlier difference counts again.
 */
async function knownAnswers(
  run: Run,
  records: readonly Outcome[],
  { ledger, unverified }: CompareContext,
): Promise<(record: number) => Answer | undefined> {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return () => undefined;
  const current = await ledger.acceptedLast(run.id, first.record, last.record);
  return (record) => {
    if (!current.has(record)) return { kind: "replaced" };
    const earlier = unverified ? current.get(record) : undefined;
    if (earlier === undefined || earlier === "same") return earlier && { kind: "verified" };
    return { kind: earlier, reason: EARLIER };
  };
}

const EARLIER = "an earlier comparison had this result";

interface Answer {
  readonly kind: PlatformAnswer["kind"] | "verified";
  readonly attrs?: readonly string[];
  readonly reason?: string;
}

function unknown(reason: string): Answer {
  return { kind: "unknown", reason };
}

function comparisonOf({ id }: Run, { record, key, source }: Outcome, { kind, attrs, ...answer }: Answer): Comparison {
  // An equal key proves nothing about the content.
  const reason = kind === "notCompared" ? "only its key could be compared" : answer.reason;
  return { run: id, record, ...definedMembers({ key, attrs, reason }), source, result: RESULTS[kind] };
}

const RESULTS: Readonly<Record<Answer["kind"], ComparisonResult>> = {
  found: "same",
  different: "different",
  absent: "absent",
  unknown: "unknown",
  replaced: "replaced",
  notCompared: "unknown",
  verified: "verified",
};

/** The statuses for a single run. `skipped` records were sent with the same content by an earlier run. */
const STATUSES_OF_ONE: ReadonlySet<Status> = ON_PLATFORM;

/** The statuses for all runs. Each record is `accepted` in the run that sent its content. */
const STATUSES_OF_ALL: ReadonlySet<Status> = new Set(["accepted"]);
