import type { Queries } from "../queries.ts";
import { statement } from "../../tables/tables.ts";

/** Selects server settings under which committed data can be lost in a power failure. */
const SELECT_UNSAFE = statement<{ name: string }>(
  "select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name",
);

/** Returns the reasons not to trust the server with a ledger, as sentences. */
export async function serverFindings(queries: Queries): Promise<readonly string[]> {
  return (await queries.rows(SELECT_UNSAFE)).map(
    ({ name }) =>
      `The server runs with ${name} = off: after a power failure, the ledger may lack requests that were sent.`,
  );
}

/** Warns about unsafe settings of the server. Does not fail, because the server's operator chose these settings. */
export async function warnOfServer(queries: Queries, notice: ((message: string) => void) | undefined): Promise<void> {
  for (const finding of await serverFindings(queries)) notice?.(`The ledger ${queries.name}: ${finding}`);
}
