import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import { settingsOf } from "../job/settings/recorded-settings.ts";
import { definedMembers } from "../json/defined-members.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/records/run.ts";
import type { RecordVerification } from "../ledger/records/verifications.ts";
import { Failure } from "../model/failure.ts";
import type { Outcome } from "../model/outcome.ts";
import { type PlatformAnswer, type PlatformCheck, openPlatformCheck } from "./platform-check.ts";
import { openUnchanged } from "./prove-run.ts";
import { type MappedTrace, PLATFORM_GROUP, acceptedRecord, mappedGroups } from "./trace-records.ts";

/**
 * - `same`: the platform has the accepted value of every attr that could be compared
 * - `replaced`: the platform has since accepted different content for the record, so the record was not looked up
 * - `verified`: an earlier comparison found the same content
 */
export type ComparisonResult = "same" | "different" | "absent" | "unknown" | "replaced" | "verified";

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

export interface CompareContext {
  readonly ledger: Ledger;
  readonly dependencies: Dependencies;
  /** Which records of a run to compare, for example only those with a certain status. */
  readonly isCompared: (outcome: Outcome) => boolean;
  /** Whether records that have been compared since they were accepted keep their earlier result. */
  readonly unverified: boolean;
  /**
   * Called instead of the comparison if the input of a run has changed, or if its contract does not say how to read
   * records back.
   */
  readonly postpone?: (run: Run, reason: Failure) => void;
}

/**
 * Reads records of a run back from the platform and compares them, in batches. A record whose payload cannot be rebuilt
 * from the sources is `unknown`. Ends early, without an error, if the user stops the command.
 * @throws Failure `config` without `postpone`, if the contract does not define how to read the records back, and
 * failures while connecting
 */
export async function* compareRun(run: Run, context: CompareContext): AsyncGenerator<readonly Comparison[]> {
  const { ledger, dependencies, postpone } = context;
  const settings = settingsOf(run);
  const job = await openUnchanged(settings, context);
  if (job instanceof Failure) {
    if (postpone === undefined) yield* notCompared(run, job, context);
    else postpone(run, job);
    return;
  }
  const opened: { readonly close: () => Promise<void> }[] = [];
  try {
    const blind = withoutReadBack(job);
    if (blind !== undefined) {
      if (postpone === undefined) throw blind;
      postpone(run, blind);
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
export async function* notCompared(
  run: Run,
  { message }: Failure,
  context: CompareContext,
): AsyncGenerator<readonly Comparison[]> {
  for await (const outcomes of context.ledger.outcomes(run.id)) {
    const batch = outcomes.filter(context.isCompared);
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
    if (asked === undefined || outcome === undefined || !context.isCompared(outcome)) return [];
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
 * earlier. An earlier result other than `same` is reported again.
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

/**
 * Returns the verification to store. Empty for a comparison without a result or with an earlier result, because such a
 * comparison must not change the ledger.
 */
export function verificationOf({ record, result, reason }: Comparison): readonly RecordVerification[] {
  if (reason === EARLIER) return [];
  return result === "same" || result === "different" || result === "absent" ? [{ record, verification: result }] : [];
}
