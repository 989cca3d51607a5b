import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import { settingsOf } from "../job/settings/recorded-settings.ts";
import { definedMembers } from "../json/defined-members.ts";
import type { Ledger, Run } from "../ledger/ledger.ts";
import { Failure } from "../model/failure.ts";
import { ON_PLATFORM, type Outcome, type Status } from "../model/outcome.ts";
import { openPlatformCheck, type PlatformAnswer, type PlatformCheck } from "./platform-check.ts";
import { openUnchanged } from "./prove-run.ts";
import { acceptedRecord, mappedGroups, type MappedTrace, PLATFORM_GROUP } from "./trace-records.ts";

/**
 * `same`: the platform has the accepted values at every attr that could be compared. `replaced`: the platform has
 * accepted different content of the record since, so it was not looked up. `verified`: the record was compared before.
 */
export type ComparisonResult = "same" | "different" | "absent" | "unknown" | "replaced" | "verified";

/** An accepted record compared with the platform. */
export interface Comparison {
  readonly run: string;
  readonly record: number;
  readonly key?: string;
  readonly source: Outcome["source"];
  readonly result: ComparisonResult;
  /** The attrs whose values differ. */
  readonly attrs?: readonly string[];
  /** Why the result is unknown. */
  readonly reason?: string;
}

export interface CompareContext {
  readonly ledger: Ledger;
  readonly dependencies: Dependencies;
  /** The statuses of the records to compare: a record that several runs have planned is `accepted` in one of them. */
  readonly statuses: ReadonlySet<Status>;
  /** Omit the records that have already been compared since they were accepted. */
  readonly unverified: boolean;
}

/**
 * Reads the accepted records of a run back from the platform and compares them, in batches. A record whose payload
 * cannot be rebuilt from the sources is `unknown`. Ends early, without an error, if the user stops it.
 * @throws Failure `config` if the contract names no operation that reads records back, and the failures of connecting
 */
export async function* compareAccepted(run: Run, context: CompareContext): AsyncGenerator<readonly Comparison[]> {
  const { ledger, dependencies, statuses } = context;
  const settings = settingsOf(run);
  const job = await openUnchanged(settings, context);
  if (job instanceof Failure) {
    for await (const batch of ledger.outcomes(run.id)) {
      const accepted = batch.filter(({ status }) => statuses.has(status));
      yield accepted.map((outcome) => comparisonOf(run, outcome, unknown(job.message)));
    }
    return;
  }
  const opened: { readonly close: () => Promise<void> }[] = [];
  try {
    requireReadBack(job);
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

function requireReadBack({ operation: { id, readBack } }: Job): void {
  if (readBack.length > 0) return;
  throw new Failure("config", `the contract does not say how to read back the records of "${id}"`, {
    hint: "name the operation with `x-migrate-read-back` (docs/contract.md)",
  });
}

async function compareGroup(
  run: Run,
  group: readonly MappedTrace[],
  check: PlatformCheck,
  { ledger, statuses, unverified }: CompareContext,
): Promise<readonly Comparison[]> {
  const accepted = group.flatMap((one) => {
    const { outcome, comparison } = one;
    const [asked] = acceptedRecord(one);
    if (asked === undefined || outcome === undefined || !statuses.has(outcome.status)) return [];
    return [{ asked, outcome, isAsPlanned: comparison === "same" }];
  });
  const [first, last] = [accepted[0], accepted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const current = await ledger.acceptedLast(run.id, first.asked.record, last.asked.record);
  const isVerified = (record: number): boolean => unverified && current.get(record) !== undefined;
  const answers = await check.ask(
    accepted.flatMap(({ asked, isAsPlanned }) =>
      isAsPlanned && current.has(asked.record) && !isVerified(asked.record) ? asked : [],
    ),
  );
  return accepted.map(({ outcome }) => {
    const { record } = outcome;
    if (!current.has(record)) return comparisonOf(run, outcome, { kind: "replaced" });
    if (isVerified(record)) return comparisonOf(run, outcome, { kind: "verified" });
    return comparisonOf(run, outcome, answers.get(record) ?? unknown("its payload cannot be rebuilt from the sources"));
  });
}

interface Answer extends Pick<PlatformAnswer, "attrs" | "reason"> {
  readonly kind: PlatformAnswer["kind"] | "verified";
}

function unknown(reason: string): Answer {
  return { kind: "unknown", reason };
}

function comparisonOf({ id }: Run, { record, key, source }: Outcome, answer: Answer): Comparison {
  const { kind, attrs, reason } = withReason(answer);
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

/** Adds the reason to an answer about the key only: an equal key proves nothing about the content. */
function withReason(answer: Answer): Answer {
  return answer.kind === "notCompared" ? { ...answer, reason: "only its key could be compared" } : answer;
}

/** In a single run, records that an earlier run sent with the same content are compared too. */
export const STATUSES_OF_ONE: ReadonlySet<Status> = ON_PLATFORM;

/** Each record is `accepted` in the run that sent its content. */
export const STATUSES_OF_ALL: ReadonlySet<Status> = new Set(["accepted"]);
