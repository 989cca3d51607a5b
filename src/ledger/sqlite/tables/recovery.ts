import { type JournaledRequest, type LedgerRecovery, type Recovery, UNKNOWN_REQUEST } from "../../journal/recovery.ts";
import { storedValue } from "../../records/stored-value.ts";
import type { SqliteDatabase } from "../sqlite-database.ts";
import { PLANNED_PUSHES } from "../../tables/planned-records.ts";
import { addToCounts, PLANNED_RECORDS } from "./count-schema.ts";
import { statement } from "../../tables/tables.ts";

/** The run number of attempts known only from a journal. Such attempts belong to no run. */
const NO_RUN = 0;

/**
 * Recoveries are a JSON list in `ledger_state.recoveries`. `resends` is -1 for a record that is in no plan and that
 * `coverage` does not count yet. Neither has a table of its own, because a schema that fits on one page is rarely lost.
 */
export function recoveryOf(database: SqliteDatabase): LedgerRecovery {
  return {
    unknownRequests: async (requests) => requests.filter((request) => !isKnown(database, request)),
    markPossiblySent: async (requests, at) => markPossiblySent(database, requests, at),
    noteRecovery: async (recovery) => noteRecovery(database, recovery),
    isRecoveryKnown: async (id) => recoveriesOf(database).some((recovery) => recovery.id === id),
  };
}

function isKnown(database: SqliteDatabase, { identity, attempt }: JournaledRequest): boolean {
  return (database.row(SELECT_ATTEMPTS, identity)?.attempts ?? 0) >= attempt;
}

const SELECT_ATTEMPTS = statement<{ attempts: number }>("select attempts from records where identity = ?");

/** Returns all recoveries, oldest first. */
export function recoveriesOf(database: SqliteDatabase): readonly Recovery[] {
  const text = database.row(SELECT_RECOVERIES)?.recoveries ?? "[]";
  return storedValue((): readonly Recovery[] => JSON.parse(text));
}

const SELECT_RECOVERIES = statement<{ recoveries: string | null }>("select recoveries from ledger_state");

export function saveRecoveries(database: SqliteDatabase, recoveries: readonly Recovery[]): void {
  if (recoveries.length > 0) database.run("update ledger_state set recoveries = ?", JSON.stringify(recoveries));
}

function markPossiblySent(database: SqliteDatabase, requests: readonly JournaledRequest[], at: string): number {
  if (requests.length === 0) return 0;
  return database.transaction(() => {
    let number = database.row(LAST_NUMBER)?.number ?? 0;
    const noted = requests.filter((request) => {
      if (isKnown(database, request)) return false;
      number += 1;
      noteRequest(database, request, number, at);
      return true;
    });
    addToCounts(database, NO_RUN, "requests", new Map([["", noted.length]]));
    // A resumed run must be compared with the new facts.
    if (noted.length > 0) database.run("delete from compared");
    return noted.length;
  });
}

const LAST_NUMBER = statement<{ number: number | null }>(
  `select max(record) as number from attempts where run = ${NO_RUN}`,
);

function noteRequest(database: SqliteDatabase, request: JournaledRequest, number: number, at: string): void {
  const { identity, attempt, idempotent = false, rowMark = null } = request;
  const status = idempotent ? "pending" : "ambiguous";
  noteRecord(database, request, status);
  database.run(INSERT_ATTEMPT, number, attempt, identity, at, status, UNKNOWN_REQUEST, idempotent ? 1 : 0, rowMark);
}

function noteRecord(database: SqliteDatabase, request: JournaledRequest, status: "pending" | "ambiguous"): void {
  const { identity, attempt, idempotent = false, isPoll = false } = request;
  const known = database.row(SELECT_CONTENT, identity);
  if (known === undefined) {
    database.run(INSERT_RECORD, identity, request.content, status, attempt);
    database.run(UNCOVER, identity);
    return;
  }
  const content = isPoll ? known.content : request.content;
  database.run(UPDATE_RECORD, identity, content, attempt, idempotent ? 1 : 0, idempotent || isPoll ? 1 : 0);
}

/**
 * Marks a record that `coverage` does not count yet. `coverage` already counts records that an earlier plan could not
 * send.
 */
const UNCOVER = "update records set resends = -1 where identity = ?1 and ?1 not in (select identity from unsent)";

const SELECT_CONTENT = statement<{ content: Uint8Array }>("select content from records where identity = ?");

/** If the first request for the record is missing, its content and its outcome are unknown. */
const INSERT_RECORD = `
  insert into records (identity, content, state, attempts, other_content)
  values (?1, ?2, iif(?4 > 1, 'ambiguous', ?3), ?4, ?4 > 1)`;

/**
 * Gives a record the content of the added request; a poll has the content of the request before it. The step of a
 * request that creates something is unknown. If this content differs from the known content, the record was revised
 * between the requests. An accepted record stays accepted if the added attempt directly follows its last attempt and
 * repeats the accepted content.
 */
const UPDATE_RECORD = `
  update records set attempts = ?3, content = ?2, step = iif(?5 = 1 and content = ?2, step, null), verified = null,
    other_content = iif(content <> ?2 and (state in ('ambiguous', 'sending') or step is not null or resends > 0),
      1, other_content),
    state = iif(?4 = 1 or (state = 'accepted' and accepted_content = ?2 and attempts + 1 = ?3), state, 'ambiguous')
  where identity = ?1`;

const INSERT_ATTEMPT = `
  insert into attempts (run, record, attempt, identity, intended_at, settled_at, status, reason, harmless, row_mark)
  values (${NO_RUN}, ?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8)`;

function noteRecovery(database: SqliteDatabase, recovery: Recovery): void {
  database.transaction(() => {
    saveRecoveries(database, [...recoveriesOf(database), recovery]);
    database.run("delete from compared");
    if (recovery.isUncertain) for (const sql of MARK_ALL_UNCERTAIN) database.run(sql);
  });
}

/** Records that were in flight or not sent yet may have had further requests. */
export const MARK_ALL_UNCERTAIN: readonly string[] = [
  "update attempts set harmless = 0 where status = 'sending'",
  "update records set other_content = 1 where state <> 'accepted'",
  "update records set state = 'ambiguous' where state not in ('accepted', 'sending')",
];

const PLANNED = `(select identity from (${PLANNED_RECORDS}) where run in (select id from runs where ${PLANNED_PUSHES}))`;

/** For a repaired ledger: marks the records that are in no plan. */
export const FIND_UNCOVERED: string = `
  update ledger_state set recoveries = coalesce(recoveries, '[]');
  update records set resends = 0 where resends < 0 and identity in ${PLANNED};
  update records set resends = -1 where identity not in ${PLANNED};`;
