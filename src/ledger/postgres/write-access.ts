import { statement } from "../tables/tables.ts";
import { postgresFailure } from "./postgres-failure.ts";
import { ledgerExists, requireSuitableServer } from "./postgres-schema.ts";
import type { Queries } from "./queries.ts";

/**
 * Checks, without changing anything, that this user can create the ledger or write to it.
 * @throws Failure `config`, `storage`: the same failures as if the user had tried
 */
export async function requireWriteAccess(queries: Queries): Promise<void> {
  const exists = await ledgerExists(queries);
  if (!exists) await requireSuitableServer(queries);
  const [obstacle] = await queries.rows(exists ? SELECT_OBSTACLES : SELECT_OBSTACLES_TO_CREATION);
  if (obstacle === undefined) return;
  const { code, message } = obstacle;
  throw postgresFailure(Object.assign(new Error(message), { code }), queries.name);
}

interface Obstacle {
  /** The error code that the server would return. */
  readonly code: string;
  readonly message: string;
}

const READ_ONLY = `
  select '25006' as code, 'transactions are read-only' as message where current_setting('transaction_read_only') = 'on'`;

const SELECT_OBSTACLES = statement<Obstacle>(`${READ_ONLY} union all
  select '42501', 'no ' || privilege || ' privilege for table ' || relname
  from pg_class, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as privilege
  where relnamespace = to_regnamespace('migrate') and relkind = 'r' and not has_table_privilege(pg_class.oid, privilege)`);

const SELECT_OBSTACLES_TO_CREATION = statement<Obstacle>(`${READ_ONLY} union all
  select '42501', 'no CREATE privilege for ' || coalesce('schema ' || nspname, 'the database')
  from (select to_regnamespace('migrate') as found) as wanted left join pg_namespace on oid = found
  where not coalesce(has_schema_privilege(found, 'CREATE'), has_database_privilege(current_database(), 'CREATE'))`);
