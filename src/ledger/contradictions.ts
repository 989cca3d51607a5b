import { formatCount } from "../text/count.ts";

/**
 * The contradictions between tables that a ledger check looks for, in report order. The report shows a count, followed
 * by `one` if the count is 1, otherwise by `many`.
 */
const CONTRADICTIONS = [
  {
    name: "unconfirmedRecord",
    one: "record is accepted without a request or decision",
    many: "records are accepted without a request or decision",
  },
  {
    name: "wrongAttempts",
    one: "record has the wrong number of requests",
    many: "records have the wrong number of requests",
  },
  {
    name: "unknownState",
    one: "record has an unknown state",
    many: "records have an unknown state",
  },
  {
    name: "unconfirmedItem",
    one: "record of a run is accepted without a request or decision",
    many: "records of a run are accepted without a request or decision",
  },
  {
    name: "requestNotInFlight",
    one: "request is in flight, but its record is not",
    many: "requests are in flight, but their records are not",
  },
  {
    name: "missingRecord",
    one: "record that should have been sent by a run is missing from the records table",
    many: "records that should have been sent by a run are missing from the records table",
  },
  {
    name: "miscounted",
    one: "stored count differs from the contents of the ledger",
    many: "stored counts differ from the contents of the ledger",
  },
] as const;

type Contradiction = (typeof CONTRADICTIONS)[number]["name"];

/** For each contradiction, a query that selects the violations. */
export type ContradictionQueries = Readonly<Record<Contradiction, string>>;

/** Returns the queries in report order, each with a function that describes its count in sentences. */
export function contradictionQueries(
  queries: ContradictionQueries,
): readonly { readonly sql: string; readonly sentences: (count: number) => readonly string[] }[] {
  return CONTRADICTIONS.map(({ name, one, many }) => ({
    sql: `select count(*) as count from (${queries[name]}) as found`,
    sentences: (count) => (count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? one : many}.`]),
  }));
}
