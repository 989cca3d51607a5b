import { NEEDS_WORK, type Outcome, type Status, type Summary } from "../../model/outcome.ts";
import type { Owner } from "../../model/owner.ts";
import type { Problem, Severity } from "../../model/problem.ts";
import type { Report } from "../../report/report.ts";

/** The records of one owner that need correction. */
export interface OwnerShare {
  readonly name: string;
  /** The addresses in the rules that apply to the records of this share. */
  readonly addresses: readonly string[];
  /** The shortest deadline of these rules, in days. */
  readonly days: number | undefined;
  /** The day (UTC) on which the first open record of this share is due. */
  readonly due: string | undefined;
  /** Numbers of the records as ranges, in order. Both ends of a range are inclusive. */
  readonly ranges: readonly NumberRange[];
  readonly summary: Summary;
}

export type NumberRange = readonly [from: number, to: number];

/** Finds the owners of records from one run. The records must be passed in input order. */
export type FindOwners = (outcomes: readonly Outcome[]) => Promise<readonly DueOwner[]>;

interface DueOwner extends Owner {
  /** The day (UTC) on which the record is due; absent if the record is not open or has no deadline. */
  readonly due?: string | undefined;
}

/** The exit code for a report in which every record needs correction. */
const NEEDS_WORK_EXIT_CODE = 1;

/** Divides the records that need correction among their owners. Each record is in exactly one share. */
export async function ownerShares(
  outcomes: Report["outcomes"],
  find: FindOwners,
): Promise<ReadonlyMap<string, OwnerShare>> {
  const shares = new Map<string, GrowingShare>();
  for await (const batch of outcomes([...NEEDS_WORK])) {
    const owners = await find(batch);
    for (const [index, outcome] of batch.entries()) {
      const owner = owners[index];
      if (owner === undefined) continue;
      const share = shares.get(owner.name) ?? newShare();
      shares.set(owner.name, share);
      addRecord(share, outcome, owner);
    }
  }
  return new Map([...shares].map(([name, share]) => [name, finished(name, share)]));
}

/** Restricts the outcomes to the records of a share, in input order. */
export function outcomesOfShare(outcomes: Report["outcomes"], ranges: OwnerShare["ranges"]): Report["outcomes"] {
  return async function* ofShare(statuses = [...NEEDS_WORK]) {
    let at = 0;
    const isOwn = ({ record }: Outcome): boolean => {
      while ((ranges[at]?.[1] ?? record) < record) at += 1;
      return (ranges[at]?.[0] ?? Number.POSITIVE_INFINITY) <= record;
    };
    for await (const batch of outcomes(statuses.filter((status) => NEEDS_WORK.has(status)))) {
      const own = batch.filter(isOwn);
      if (own.length > 0) yield own;
    }
  };
}

interface GrowingShare {
  readonly addresses: Set<string>;
  days: number | undefined;
  due: string | undefined;
  readonly ranges: [from: number, to: number][];
  records: number;
  readonly counts: Map<Status, number>;
  readonly problems: Readonly<Record<Severity, Map<string, number>>>;
}

function newShare(): GrowingShare {
  return {
    addresses: new Set(),
    days: undefined,
    due: undefined,
    ranges: [],
    records: 0,
    counts: new Map(),
    problems: { error: new Map(), warning: new Map() },
  };
}

function addRecord(share: GrowingShare, { record, status, problems }: Outcome, { address, days, due }: DueOwner): void {
  if (address !== undefined) share.addresses.add(address);
  if (days !== undefined) share.days = Math.min(days, share.days ?? days);
  if (due !== undefined && (share.due === undefined || due < share.due)) share.due = due;
  const last = share.ranges.at(-1);
  if (last !== undefined && last[1] + 1 === record) last[1] = record;
  else share.ranges.push([record, record]);
  share.records += 1;
  share.counts.set(status, (share.counts.get(status) ?? 0) + 1);
  for (const problem of problems) countProblem(share.problems[problem.severity], problem);
}

function countProblem(counts: Map<string, number>, { code, unlisted = 0 }: Problem): void {
  counts.set(code, (counts.get(code) ?? 0) + 1 + unlisted);
}

function finished(name: string, { addresses, ranges, records, counts, problems, ...share }: GrowingShare): OwnerShare {
  const summary: Summary = {
    records,
    counts: Object.fromEntries(counts),
    errors: mostFrequentFirst(problems.error),
    warnings: mostFrequentFirst(problems.warning),
    exitCode: NEEDS_WORK_EXIT_CODE,
  };
  return { name, addresses: [...addresses], days: share.days, due: share.due, ranges, summary };
}

function mostFrequentFirst(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)));
}
