import type { Queries, Statement } from "../queries.ts";

/** Settings of the server with which a loss of power costs what it has called durable. */
const SELECT_UNSAFE: Statement<{ name: string }> = {
  sql: "select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name",
};

/** What speaks against trusting the server with a ledger, as sentences. */
export async function serverFindings(queries: Queries): Promise<readonly string[]> {
  return (await queries.rows(SELECT_UNSAFE)).map(
    ({ name }) => `The server runs with ${name} = off: after a loss of power it may have forgotten what was sent.`,
  );
}

/** Whoever runs the server has decided so: it is said, and not refused. */
export async function warnOfServer(queries: Queries, notice: ((message: string) => void) | undefined): Promise<void> {
  for (const finding of await serverFindings(queries)) notice?.(`The ledger ${queries.name}: ${finding}`);
}
