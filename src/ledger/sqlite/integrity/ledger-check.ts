import { Failure } from "../../../model/failure.ts";
import type { LedgerCheck } from "../../ledger-store.ts";
import { openDatabase, type Query, type SqliteDatabase } from "../sqlite-database.ts";
import { requireSound } from "./require-sound.ts";
import { isSchemaCurrent } from "../ledger-schema.ts";

/**
 * Looks at every page and every row of the ledger at this path: the seal, SQLite's own check, and whether what the
 * tables say of each record agrees. Changes nothing.
 * @param isBusy another process may be writing to it just now
 * @throws Failure `storage`; `config` for a file that is no ledger
 */
export function checkLedger(path: string, isBusy: () => boolean): LedgerCheck {
  const database = openDatabase(path, { readOnly: true });
  try {
    const findings = [...damageOf(database, isBusy)];
    if (findings.length === 0) findings.push(...contradictions(database));
    const counts = { runs: 0, records: 0, attempts: 0, decisions: 0 };
    if (findings.length > 0) return { findings, counts };
    return { findings, counts: { ...counts, ...countRows(database) } };
  } finally {
    database.close();
  }
}

function damageOf(database: SqliteDatabase, isBusy: () => boolean): readonly string[] {
  try {
    requireSound(database, isBusy);
    if (!isSchemaCurrent(database))
      return ["It was written by an older version: any other command brings it up to date."];
    const said = database.rows(INTEGRITY_CHECK).map(({ integrity_check }) => integrity_check);
    return said.length === 1 && said[0] === "ok" ? [] : said;
  } catch (error) {
    if (error instanceof Failure && error.code === "ledger_damaged") return [error.message];
    throw error;
  }
}

const INTEGRITY_CHECK: Query<{ integrity_check: string }> = { sql: "pragma integrity_check(20)" };

function countRows(database: SqliteDatabase): Partial<LedgerCheck["counts"]> {
  const names = ["runs", "records", "attempts", "decisions"] as const;
  return Object.fromEntries(names.map((name) => [name, count(database, `select count(*) as count from ${name}`)]));
}

function contradictions(database: SqliteDatabase): readonly string[] {
  return INVARIANTS.flatMap(({ words, sql }) => {
    const found = count(database, `select count(*) as count from (${sql})`);
    return found === 0 ? [] : [`${found.toLocaleString("en")} ${words}.`];
  });
}

function count(database: SqliteDatabase, sql: string): number {
  const query: Query<{ count: number }> = { sql };
  return database.row(query)?.count ?? 0;
}

/** Each selects what must not be. */
const INVARIANTS: readonly { readonly words: string; readonly sql: string }[] = [
  {
    words: "records are accepted without a request or a decision that says so",
    sql: `select 1 from records where state = 'accepted' and identity not in
      (select identity from attempts where status = 'accepted' union all
       select identity from decisions where decision = 'accepted')`,
  },
  {
    words: "records count other requests than were made",
    sql: `select 1 from records left join
      (select identity, max(attempt) as made from attempts group by identity) as sent on sent.identity = records.identity
      where records.attempts <> coalesce(made, 0)`,
  },
  {
    words: "records are in a state that there is not",
    sql: `select 1 from records where state not in
      ('pending', 'sending', 'accepted', 'rejected', 'ambiguous', 'blocked', 'valid')`,
  },
  {
    words: "records of a run are accepted, of which no request and no decision says so",
    sql: `select 1 from items where status = 'accepted'
      and not exists (select 1 from attempts where attempts.run = items.run and attempts.record = items.record
        and status = 'accepted')
      and not exists (select 1 from decisions where decisions.run = items.run and decisions.record = items.record
        and decision = 'accepted')`,
  },
  {
    words: "requests are under way of records that are not",
    sql: `select 1 from attempts left join items on items.run = attempts.run and items.record = attempts.record
      where attempts.status = 'sending' and coalesce(items.status, '') <> 'sending'`,
  },
  {
    words: "records of a run that were to be sent are known nowhere",
    sql: `select 1 from items where status in ('pending', 'sending', 'accepted', 'ambiguous', 'skipped', 'blocked')
      and awaits is null and identity not in (select identity from records)
      and run in (select id from runs where command = 'push' and not dry_run and state <> 'planning')`,
  },
];
