import { NEEDS_WORK, type Outcome, type Status, type Summary } from "../../model/outcome.ts";
import type { Owner } from "../../model/owner.ts";
import type { Problem, Severity } from "../../model/problem.ts";
import type { Report } from "../../report/report.ts";

/** The records of one owner that need correction. */
export interface OwnerShare {
  readonly name: string;
  /** The addresses of the rules that apply to its records. */
  readonly addresses: readonly string[];
  /** The shortest deadline of these rules, in days. */
  readonly days: number | undefined;
  /** Numbers of the records, in order, as ranges whose ends are included. */
  readonly ranges: readonly NumberRange[];
  readonly summary: Summary;
}

export type NumberRange = readonly [from: number, to: number];

/** Finds the owner of a record; the same record always has the same owner. */
export type FindOwner = (outcome: Outcome) => Owner;

/** Exit code of a report whose records all need correction. */
const NEEDS_WORK_EXIT_CODE = 1;

/** Divides the records that need correction among their owners. Each record is in exactly one share. */
export async function ownerShares(
  outcomes: Report["outcomes"],
  find: FindOwner,
): Promise<ReadonlyMap<string, OwnerShare>> {
  const shares = new Map<string, GrowingShare>();
  for await (const batch of outcomes([...NEEDS_WORK])) {
    for (const outcome of batch) {
      const owner = find(outcome);
      const share = shares.get(owner.name) ?? newShare();
      shares.set(owner.name, share);
      addRecord(share, outcome, owner);
    }
  }
  return new Map([...shares].map(([name, share]) => [name, finished(name, share)]));
}

/** The outcomes of one owner that need correction, in input order. */
export function outcomesOfOwner(outcomes: Report["outcomes"], find: FindOwner, name: string): Report["outcomes"] {
  return async function* ofOwner(statuses = [...NEEDS_WORK]) {
    for await (const batch of outcomes(statuses.filter((status) => NEEDS_WORK.has(status)))) {
      const own = batch.filter((outcome) => find(outcome).name === name);
      if (own.length > 0) yield own;
    }
  };
}

interface GrowingShare {
  readonly addresses: Set<string>;
  days: number | undefined;
  readonly ranges: [from: number, to: number][];
  records: number;
  readonly counts: Map<Status, number>;
  readonly problems: Readonly<Record<Severity, Map<string, number>>>;
}

function newShare(): GrowingShare {
  return {
    addresses: new Set(),
    days: undefined,
    ranges: [],
    records: 0,
    counts: new Map(),
    problems: { error: new Map(), warning: new Map() },
  };
}

function addRecord(share: GrowingShare, { record, status, problems }: Outcome, { address, days }: Owner): void {
  if (address !== undefined) share.addresses.add(address);
  if (days !== undefined) share.days = Math.min(days, share.days ?? days);
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

function finished(name: string, { addresses, days, ranges, records, counts, problems }: GrowingShare): OwnerShare {
  const summary: Summary = {
    records,
    counts: Object.fromEntries(counts),
    errors: mostFrequentFirst(problems.error),
    warnings: mostFrequentFirst(problems.warning),
    exitCode: NEEDS_WORK_EXIT_CODE,
  };
  return { name, addresses: [...addresses], days, ranges, summary };
}

function mostFrequentFirst(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)));
}
