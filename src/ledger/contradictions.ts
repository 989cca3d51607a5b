import { STATUSES } from "../model/outcome.ts";
import { formatCount } from "../text/count.ts";
import type { LedgerCheck } from "./ledger-store.ts";
import { type Statement, statement } from "./tables/tables.ts";

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
    one: "planned record of a push is missing from the records table",
    many: "planned records of pushes are missing from the records table",
  },
  {
    name: "unreadableValue",
    one: "run or problem cannot be read",
    many: "runs or problems cannot be read",
  },
  {
    name: "miscounted",
    one: "stored count differs from the contents of the ledger",
    many: "stored counts differ from the contents of the ledger",
  },
] as const;

type Contradiction = (typeof CONTRADICTIONS)[number]["name"];

/** Returns a query for the row counts that a ledger check reports. */
export function countRows(schema: "" | "migrate."): Statement<LedgerCheck["counts"], string> {
  const counts = ["runs", "records", "attempts", "decisions"].map(
    (table) => `(select count(*) from ${schema}${table}) as ${table}`,
  );
  return statement(`select ${counts.join(", ")}`);
}

export const NO_ROWS: LedgerCheck["counts"] = { runs: 0, records: 0, attempts: 0, decisions: 0 };

const quotedStatuses = STATUSES.map((status) => `'${status}'`).join(", ");

type ContradictionQueries = Readonly<Record<Contradiction, string>>;

/** Queries whose fastest form depends on the database. */
type OwnQueries = "unconfirmedRecord" | "missingRecord" | "unreadableValue" | "miscounted";

/**
 * Returns the queries in report order, each with a function that describes its count in sentences.
 * @param schema prefix of the tables
 */
export function contradictionQueries(
  schema: "" | "migrate.",
  own: Readonly<Record<OwnQueries, string>>,
): readonly { readonly sql: string; readonly sentences: (count: number) => readonly string[] }[] {
  const queries: ContradictionQueries = {
    ...own,
    wrongAttempts: `select 1 from ${schema}records left join
      (select identity, max(attempt) as made from ${schema}attempts group by identity) as sent
        on sent.identity = records.identity
      where records.attempts <> coalesce(made, 0)`,
    unknownState: `select 1 from ${schema}records where state not in
      ('pending', 'sending', 'accepted', 'rejected', 'existing', 'ambiguous', 'blocked', 'valid')
      union all select 1 from ${schema}items where status not in ('sending', ${quotedStatuses})`,
    unconfirmedItem: `select 1 from ${schema}items where status = 'accepted'
      and not exists (select 1 from ${schema}attempts
        where attempts.run = items.run and attempts.record = items.record and status = 'accepted')
      and not exists (select 1 from ${schema}decisions
        where decisions.run = items.run and decisions.record = items.record and decision = 'accepted')`,
    requestNotInFlight: `select 1 from ${schema}attempts
      left join ${schema}items on items.run = attempts.run and items.record = attempts.record
      where attempts.status = 'sending' and coalesce(items.status, '') <> 'sending'`,
  };
  return CONTRADICTIONS.map(({ name, one, many }) => ({
    sql: `select count(*) as count from (${queries[name]}) as found`,
    sentences: (count) => (count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? one : many}.`]),
  }));
}
