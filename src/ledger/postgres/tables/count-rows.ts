import type { Queries, Statement } from "../queries.ts";

/** The counts of one kind, largest first. */
export async function countsOf(
  queries: Queries,
  run: number,
  kind: "status" | "error" | "warning",
): Promise<Readonly<Record<string, number>>> {
  const rows = await queries.rows(SELECT_COUNTS, run, kind);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const SELECT_COUNTS: Statement<{ name: string; count: number }> = {
  sql: `
  select name, sum(count)::bigint as count from migrate.counts where run = $1 and kind = $2
  group by name having sum(count) <> 0 order by count desc, name`,
};

/** Number of intents ever saved, in all runs. */
export async function countRequests(queries: Queries): Promise<number> {
  return (await queries.row(SELECT_REQUESTS))?.count ?? 0;
}

const SELECT_REQUESTS: Statement<{ count: number }> = {
  sql: "select coalesce(sum(count), 0)::bigint as count from migrate.counts where kind = 'requests'",
};
