import type { LocalProblem } from "../../../model/problem.ts";
import { otherMatches } from "../../../text/key-damage.ts";
import { KEPT_DIGITS, SQL_KEPT_DIGITS, SQL_NORMAL_KEY } from "../../../text/near-key.ts";
import type { PlanPolicy } from "../../ledger.ts";
import {
  type KnownKey,
  nearKnownKey,
  type NewKey,
  REFUSED_KEY_CODES,
  rowSentUnderOtherKey,
  visiblyDamagedKey,
} from "../../records/known-keys.ts";
import { rowMarker } from "../../records/row-hash.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Statement, Transaction } from "../queries.ts";
import { readKey, writtenKey } from "../written-key.ts";
import { writeFindings } from "./plan-findings.ts";

/**
 * Makes a record `invalid` if its key is new and may be a changed form of a key from an earlier run to the same
 * address: it would create a second account. The same applies to a new key of a row that was sent under another key,
 * and to a key that a spreadsheet has visibly changed.
 */
export async function refuseNearKnownKeys(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  const refuse = recordRefuser(transaction, run, policy);
  if ((await transaction.row(OTHER_RUN, run.number)) !== undefined) {
    const [keys, matches] = await matchesOfKeys(transaction, run);
    await refuse(transaction.batches(selectNear(run), BATCH), nearKnownKey);
    for (let at = 0; at < keys.length; at += MATCHES_AT_ONCE) {
      const [some, forms] = [keys.slice(at, at + MATCHES_AT_ONCE), matches.slice(at, at + MATCHES_AT_ONCE)];
      await refuse([await transaction.rows(selectNearOthers(run), some, forms)], nearKnownKey);
    }
    await refuse(transaction.batches(selectSameRows(run), BATCH), rowSentUnderOtherKey);
  }
  if ((await transaction.row(ANY_ROW_MARK)) !== undefined) {
    await refuse(journaledRows(transaction, run), rowSentUnderOtherKey);
  }
  await refuse(transaction.batches(selectSuspects(run), BATCH), visiblyDamagedKey);
}

const BATCH = 1000;
const MATCHES_AT_ONCE = 50_000;

const OTHER_RUN: Statement<{ id: number }> = {
  sql: `
  select other.id from migrate.runs as own
  join migrate.runs as other on other.id <> own.id and other.endpoint = own.endpoint and other.supplier = own.supplier
  where own.id = $1 limit 1`,
};

type FoundKey = NewKey & KnownKey;

const newItems = ({ number }: RunRow): string => `
  migrate.items
  where items.run = ${number} and items.status in ('valid', 'pending') and items.key is not null
    and not exists (select 1 from migrate.records where records.identity = items.identity)`;

const newKeys = (run: RunRow): string => `
  new_keys as materialized (
    select ${SQL_NORMAL_KEY} as match, record, key, file, line, row_hash from ${newItems(run)}
  )`;

const earlierItems = ({ number }: RunRow): string => `
  migrate.runs as own
  join migrate.runs as earlier
    on own.id = ${number} and earlier.endpoint = own.endpoint and earlier.supplier = own.supplier and earlier.id <> own.id
  join migrate.items on items.run = earlier.id`;

const WAS_SENT = "records.accepted_content is not null or records.state in ('ambiguous', 'sending')";

/**
 * Keys that were sent come first, then the smallest key.
 * @param match SQL of the forms of an earlier item's key to compare
 */
const nearKeys = (run: RunRow, match: string = SQL_NORMAL_KEY): string => `
  select new_keys.record, new_keys.key, items.key as known, bool_or(coalesce(${WAS_SENT}, false)) as "wasSent",
    files.name as file, new_keys.line
  from ${earlierItems(run)}
  join new_keys on new_keys.match in (${match}) and new_keys.key <> items.key
  left join migrate.records on records.identity = items.identity
  join migrate.files on files.id = new_keys.file
  where records.state is not null or not exists (
    select 1 from migrate.problems
    where problems.run = items.run and problems.record = items.record and problems.attempt = 0
      and problems.code in (${REFUSED_KEY_CODES.map((code) => `'${code}'`).join(", ")})
  )
  group by new_keys.record, new_keys.key, items.key, files.name, new_keys.line
  order by new_keys.record, "wasSent" desc, items.key`;

const selectNear = (run: RunRow): Statement<FoundKey> => ({ sql: `with ${newKeys(run)} ${nearKeys(run)}` });

/** Other forms of keys: keys in parameter 1, forms in parameter 2. */
const selectNearOthers = (run: RunRow): Statement<FoundKey> => ({
  sql: `
  with forms as materialized (select * from unnest($1::text[], $2::text[]) as each (key, match)), new_keys as materialized (
    select forms.match, record, items.key, file, line from (select * from ${newItems(run)}) as items
    join forms on forms.key = items.key collate "C"
  ) ${nearKeys(run, `${SQL_NORMAL_KEY}, ${SQL_KEPT_DIGITS}`)}`,
});

/** Keys that may be dates (`11/01/2010`, `Jan-11`) or long numbers. */
const selectDatesAndNumbers = (run: RunRow): Statement<{ key: string }> => ({
  sql: `
  select distinct items.key from ${newItems(run)} and (
    length(${SQL_NORMAL_KEY}) > ${KEPT_DIGITS} and ${SQL_NORMAL_KEY} ~ '^[0-9]+$'
    or length(items.key) between 3 and 11 and items.key ~ '^([0-9]{1,4}[-/. ][0-9A-Za-z]+[-/. ][0-9]+|[0-9]{1,2}[-/.][0-9]{1,4}|[0-9]{4}[-/.][0-9]{1,2}|[A-Za-z]{3,9}[- ]?[0-9]+|[0-9]{1,2}-?[A-Za-z]{3})$'
  )`,
});

async function matchesOfKeys(
  transaction: Transaction,
  run: RunRow,
): Promise<readonly [keys: readonly string[], matches: readonly string[]]> {
  const [keys, matches]: [string[], string[]] = [[], []];
  for await (const rows of transaction.batches(selectDatesAndNumbers(run), BATCH)) {
    for (const { key } of rows) {
      for (const match of otherMatches(readKey(key))) {
        keys.push(key);
        matches.push(writtenKey(match));
      }
    }
  }
  return [keys, matches];
}

/**
 * If the earlier key is in this plan with the same row, the row belongs to it, and the row of the new key is a
 * different one.
 */
const selectSameRows = (run: RunRow): Statement<FoundKey> => ({
  sql: `
  with ${newKeys(run)}
  select new_keys.record, new_keys.key, min(items.key) as known, true as "wasSent", files.name as file, new_keys.line
  from ${earlierItems(run)}
  join new_keys on new_keys.row_hash = items.row_hash and new_keys.key <> items.key
  join migrate.records on records.identity = items.identity
  join migrate.files on files.id = new_keys.file
  where (${WAS_SENT}) and not exists (
    select 1 from migrate.items as own_items
    where own_items.run = ${run.number} and own_items.identity = items.identity and own_items.row_hash = items.row_hash
  )
  group by new_keys.record, new_keys.key, files.name, new_keys.line
  order by new_keys.record`,
});

const ANY_ROW_MARK: Statement<{ found: number }> = {
  sql: "select 1 as found from migrate.attempts where row_mark is not null limit 1",
};

/** New keys of rows that were sent under other keys, according to a journal. Those other keys are unknown. */
async function* journaledRows(transaction: Transaction, run: RunRow): AsyncGenerator<readonly FoundKey[]> {
  const destination = await transaction.row(SELECT_DESTINATION, run.number);
  if (destination === undefined) return;
  const markOf = rowMarker(destination);
  for await (const rows of transaction.batches(selectNewRows(run), BATCH)) {
    const found = await transaction.rows(
      SELECT_JOURNALED,
      run.number,
      rows.map(({ rowHash }) => rowHash),
      rows.map(({ rowHash }) => markOf(rowHash)),
    );
    yield found.flatMap(({ nth }) => {
      const row = rows[nth - 1];
      return row === undefined ? [] : [{ ...row, known: "", wasSent: true }];
    });
  }
}

const SELECT_DESTINATION: Statement<{ endpoint: string; supplier: string }> = {
  sql: "select endpoint, supplier from migrate.runs where id = $1",
};

const selectNewRows = (run: RunRow): Statement<NewKey & { readonly rowHash: number }> => ({
  sql: `
  with ${newKeys(run)}
  select record, key, files.name as file, line, row_hash as "rowHash"
  from new_keys join migrate.files on files.id = new_keys.file where row_hash is not null order by record`,
});

/** The given rows that were sent under another key, unless that key is in this plan with the same row. */
const SELECT_JOURNALED: Statement<{ nth: number }> = {
  sql: `
  select given.nth::int as nth
  from unnest($2::bigint[], $3::bigint[]) with ordinality as given (row_hash, row_mark, nth)
  where exists (
    select from migrate.attempts join migrate.records on records.identity = attempts.identity
    where attempts.row_mark = given.row_mark and (${WAS_SENT}) and not exists (
      select from migrate.items
      where items.run = $1 and items.identity = attempts.identity and items.row_hash = given.row_hash))
  order by given.nth`,
};

const selectSuspects = (run: RunRow): Statement<FoundKey> => ({
  sql: `
  with ${newKeys(run)}
  select record, key, '' as known, false as "wasSent", files.name as file, line
  from new_keys join migrate.files on files.id = new_keys.file
  where new_keys.key ~ '^([0-9].*[Ee][+]|[''’=#])' order by record`,
});

type FoundBatches = AsyncIterable<readonly FoundKey[]> | Iterable<readonly FoundKey[]>;

/** Refuses each record once, with its first problem. Rows of one record must be consecutive. */
function recordRefuser(transaction: Transaction, run: RunRow, policy: PlanPolicy) {
  let refused: number | undefined;
  return async (
    batches: FoundBatches,
    problemOf: (found: FoundKey, policy: PlanPolicy) => LocalProblem | undefined,
  ): Promise<void> => {
    for await (const rows of batches) {
      const problems = rows.flatMap((row) => {
        const found = { ...row, key: readKey(row.key), known: readKey(row.known) };
        const problem = row.record === refused ? undefined : problemOf(found, policy);
        if (problem !== undefined) refused = row.record;
        return problem === undefined ? [] : [{ record: row.record, status: "invalid" as const, problems: [problem] }];
      });
      await writeFindings(transaction, run, problems);
    }
  };
}
