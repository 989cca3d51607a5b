import { formatCount } from "../text/count.ts";

/** The contradictions between tables that a ledger check looks for, in the order of its report. */
const CONTRADICTIONS = [
  ["unconfirmedRecord", "records are accepted without a request or decision"],
  ["wrongAttempts", "records have a wrong number of requests"],
  ["unknownState", "records have an unknown state"],
  ["unconfirmedItem", "records of a run are accepted without a request or decision"],
  ["requestNotInFlight", "requests are in flight for records that are not in flight"],
  ["missingRecord", "records of a run that should have been sent are missing from the records table"],
  ["miscounted", "stored counts differ from the contents of the ledger"],
] as const;

type Contradiction = (typeof CONTRADICTIONS)[number][0];

/** For each contradiction, a query that selects the violations. */
export type ContradictionQueries = Readonly<Record<Contradiction, string>>;

/** Returns the queries in the order of the report, with functions that turn their counts into sentences. */
export function contradictionQueries(
  queries: ContradictionQueries,
): readonly { readonly sql: string; readonly sentences: (count: number) => readonly string[] }[] {
  return CONTRADICTIONS.map(([name, words]) => ({
    sql: `select count(*) as count from (${queries[name]}) as found`,
    sentences: (count) => (count === 0 ? [] : [`${formatCount(count)} ${words}.`]),
  }));
}
