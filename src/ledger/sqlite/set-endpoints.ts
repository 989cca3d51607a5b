import { recordIdentity } from "../records/record-hashes.ts";
import type { Query, SqliteDatabase } from "./sqlite-database.ts";
import { rebuildCoverage } from "./tables/counts.ts";

/**
 * Adds endpoints to runs, and gives their records the resulting identities. Before schema version 5, an identity
 * consisted of host, supplier, operation id and key. It changed with the operation's id, and two instances of the
 * platform on one host shared it.
 */
export function setEndpoints(database: SqliteDatabase, endpoints: ReadonlyMap<string, string>): void {
  database.transaction(() => {
    database.execute(DROP_TABLES + CREATE_TABLES);
    for (const [name, endpoint] of endpoints) {
      const run = database.row(SELECT_RUN, name);
      if (run === undefined) continue;
      listIdentities(database, run, endpoint);
      database.run("update runs set endpoint = ? where id = ?", endpoint, run.id);
    }
    for (const sql of REPLACE_IDENTITIES) database.run(sql);
    rebuildCoverage(database);
    database.run("delete from compared");
    database.execute(DROP_TABLES);
  });
}

interface RunColumns {
  readonly id: number;
  readonly supplier: string;
}

const SELECT_RUN: Query<RunColumns> = { sql: "select id, supplier from runs where name = ? and endpoint is null" };

interface ItemColumns {
  readonly record: number;
  readonly key: string;
  readonly identity: Uint8Array;
}

const BATCH = 500;

const SELECT_ITEMS: Query<ItemColumns> = {
  sql: `select record, key, identity from items
    where run = ? and record > ? and key is not null and identity is not null order by record limit ${BATCH}`,
};

function listIdentities(database: SqliteDatabase, { id, supplier }: RunColumns, endpoint: string): void {
  for (let last = 0; ;) {
    const items = database.rows(SELECT_ITEMS, id, last);
    for (const { record, key, identity } of items) {
      const made = recordIdentity({ endpoint, supplier, key });
      database.run(
        "insert into temp.identities (run, record, old, made) values (?, ?, ?, ?)",
        id,
        record,
        identity,
        made,
      );
    }
    last = items.at(-1)?.record ?? last;
    if (items.length < BATCH) return;
  }
}

const DROP_TABLES = "drop table if exists temp.identities; drop table if exists temp.moved;";
const CREATE_TABLES = `
  create temp table identities (
    run integer not null, record integer not null, old blob not null, made blob not null, primary key (run, record)
  ) without rowid;
  create temp table moved (
    old blob not null, made blob not null, attempts integer not null, confirmed integer not null, primary key (old, made)
  ) without rowid;`;

/** The more certain it is that the record arrived, the higher. */
const RANK = (state: string): string => `case ${state} when 'accepted' then 3 when 'ambiguous' then 2
  when 'sending' then 2 else 1 end`;

/**
 * If several instances shared an old identity, its record belongs to those it was sent to. It is accepted only if one
 * of their own requests or decisions says so; for the other instances it is left to send. If one operation had several
 * ids, the record that is known to have arrived stays.
 */
const REPLACE_IDENTITIES = [
  ...["items", "attempts", "decisions"].map(
    (table) => `update ${table} set identity = identities.made from temp.identities
      where identities.run = ${table}.run and identities.record = ${table}.record
        and identities.old = ${table}.identity`,
  ),
  `insert into temp.moved (old, made, attempts, confirmed)
   select old, made, coalesce(max(attempt), 0), coalesce(max(status = 'accepted'), 0)
   from temp.identities left join attempts on attempts.run = identities.run and attempts.record = identities.record
   group by old, made`,
  `update items set awaits = (select made from temp.moved where old = items.awaits limit 1)
   where awaits in (select old from temp.moved)`,
  `insert into records (identity, content, attempts, accepted_content, accepted_at, account, step, resends, state)
   select made, content, moved.attempts, iif(own, accepted_content, null), iif(own, accepted_at, null),
     iif(own, account, null), iif(own, step, null), resends, case
       when not own then 'pending'
       when state = 'accepted' and not confirmed
         and not exists (select 1 from decisions where identity = made and decision = 'accepted') then 'ambiguous'
       else state end
   from records cross join (
     select *, attempts > 0 or max(attempts) over (partition by old) = 0 as own from temp.moved
   ) as moved on moved.old = records.identity
   where true
   order by records.id
   on conflict (identity) do update set
     attempts = max(attempts, excluded.attempts),
     content = iif(${RANK("excluded.state")} > ${RANK("state")}, excluded.content, content),
     accepted_content = coalesce(accepted_content, excluded.accepted_content),
     accepted_at = coalesce(accepted_at, excluded.accepted_at),
     account = coalesce(account, excluded.account),
     step = iif(${RANK("excluded.state")} > ${RANK("state")}, excluded.step, step),
     resends = max(resends, excluded.resends),
     state = iif(${RANK("excluded.state")} > ${RANK("state")}, excluded.state, state)`,
  "delete from records where identity in (select old from temp.moved)",
];
