import type { LocalProblem } from "../../model/problem.ts";
import { otherMatches } from "../../text/key-corruption.ts";
import { KEPT_DIGITS, SQL_KEPT_DIGITS, SQL_NORMAL_KEY } from "../../text/near-key.ts";
import type { PlanPolicy } from "../records/planned-item.ts";
import {
  type KnownKey,
  nearKnownKey,
  type NewKey,
  REFUSED_KEY_CODES,
  rowSentUnderOtherKey,
  visiblyCorruptKey,
} from "../records/known-keys.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { exists, type Statement, statement, type Tables, type Work } from "../tables/tables.ts";
import { isExcluded } from "../tables/exclusions.ts";
import { holdInvalid } from "../tables/planned-records.ts";
import { type PlanFinding, writeFindings } from "./findings.ts";
import { selectJournaledRows } from "./journaled-rows.ts";
import { collectNewKeys, dropNewKeys, FROM_NEW_ITEMS, IS_NEW, OWN_ITEM, WAS_SENT, withNewKeys } from "./new-keys.ts";

/**
 * Makes a record `invalid` if its key is new and may be a changed form of a key from another run to the same
 * destination. Sending such a record would create a second account. The same applies if the row of a new key was sent
 * or excluded under another key, or if a spreadsheet has visibly changed a new key. A key is new until a record with
 * this key has been sent. Reads the plans of other runs only if there are new keys.
 */
export function* refuseNearKnownKeys(tables: Tables, run: RunRow, policy: PlanPolicy): Work<void> {
  const { refuse, refuseEach } = recordRefuser(tables, run, policy);
  const hasOtherRun = yield* exists(tables, OTHER_RUN, run.number);
  const hasJournaled = yield* exists(tables, ANY_ROW_MARK);
  if ((hasOtherRun || hasJournaled) && (yield* collectNewKeys(tables, run))) {
    if (hasOtherRun) {
      const forms = yield* otherForms(tables, run);
      yield* refuseEach(selectNear(SQL_NORMAL_KEY), nearKnownKey);
      if (forms === "added") yield* refuseEach(selectNear(SQL_KEPT_DIGITS), nearKnownKey);
      else
        for (const some of forms)
          yield* refuse(yield* tables.rows(SELECT_NEAR_FORMS, run.number, ...some), nearKnownKey);
      yield* refuseEach(SELECT_SAME_ROWS, rowSentUnderOtherKey);
    }
    if (hasJournaled) {
      yield* selectJournaledRows(tables, run, (rows) => refuse(rows, rowSentUnderOtherKey));
    }
  }
  yield* refuseEach(SELECT_SUSPECTS, visiblyCorruptKey);
  yield* dropNewKeys(tables);
}

const OTHER_RUN = `
  select other.id from migrate.runs as own
  inner join migrate.runs as other
    on ${isEarlier("other", "own")} and other.endpoint = own.endpoint and other.supplier = own.supplier
  where own.id = $1 limit 1`;

/**
 * Returns an SQL condition for runs whose keys count as known. A dry run counts only for later runs, because it has
 * sent nothing.
 */
function isEarlier(other: string, own: string): string {
  return `(${other}.id < ${own}.id or ${other}.id > ${own}.id and not ${other}.dry_run)`;
}

const ANY_ROW_MARK = "select 1 as found from migrate.attempts where run = 0 and row_mark is not null limit 1";

/** A new key and a known key, as selected from the tables. */
interface FoundKey extends NewKey {
  readonly known: string;
  readonly wasSent: number | boolean;
}

type ProblemOf = (found: NewKey & KnownKey, policy: PlanPolicy) => LocalProblem | undefined;

/**
 * Returns functions that refuse each record once, with its first problem. All rows for a record must be consecutive.
 */
function recordRefuser(
  tables: Tables,
  run: RunRow,
  policy: PlanPolicy,
): {
  readonly refuse: (rows: readonly FoundKey[], problemOf: ProblemOf) => Work<void>;
  readonly refuseEach: (select: Statement<FoundKey>, problemOf: ProblemOf) => Work<void>;
} {
  let refused: number | undefined;
  function* write(findings: readonly PlanFinding[]): Work<void> {
    yield* writeFindings(tables, run, findings);
    if (run.state !== "planning") yield* holdInvalid(tables, run.number, findings);
  }
  const refuse = (rows: readonly FoundKey[], problemOf: ProblemOf): Work<void> => {
    const findings = rows.flatMap((row) => {
      if (row.record === refused) return [];
      const [key, known] = [tables.readKey(row.key), tables.readKey(row.known)];
      const problem = problemOf({ ...row, key, known, wasSent: Boolean(row.wasSent) }, policy);
      if (problem === undefined) return [];
      refused = row.record;
      return [{ record: row.record, status: "invalid" as const, problems: [problem] }];
    });
    return write(findings);
  };
  return {
    refuse,
    refuseEach: (select, problemOf) => tables.eachBatch(select, [run.number], (rows) => refuse(rows, problemOf)),
  };
}

const EARLIER_ITEMS = `
  migrate.runs as this_run
  inner join migrate.runs as earlier on earlier.endpoint = this_run.endpoint and earlier.supplier = this_run.supplier
    and ${isEarlier("earlier", "this_run")}
  inner join migrate.items on items.run = earlier.id`;

/**
 * Returns SQL for the known keys that are nearly equal to a new key. For each new key, the known keys that were sent
 * come first, then the other known keys. Each group is in ascending order.
 * @param keys the table with the new keys, and the condition for an earlier item with a nearly equal key
 */
const nearKeys = (keys: string): string => `
  select new_keys.record, new_keys.key, items.key as known,
    max(case when ${WAS_SENT} then 1 else 0 end) as "wasSent", files.name as file, new_keys.line
  from ${EARLIER_ITEMS}
  inner join ${keys} and new_keys.key <> items.key
  ${OWN_ITEM}
  left join migrate.records on records.identity = items.identity
  inner join migrate.files on files.id = new_keys.file
  where this_run.id = $1 and (records.state is not null or not exists (
    select 1 from migrate.problems
    where problems.run = items.run and problems.record = items.record and problems.attempt = 0
      and problems.code in (${REFUSED_KEY_CODES.map((code) => `'${code}'`).join(", ")})
  ))
  group by new_keys.record, new_keys.key, items.key, files.name, new_keys.line
  order by new_keys.record, 4 desc, items.key`;

/** @param match SQL expression that derives the compared value from the key of an earlier item */
const selectNear = (match: string): Statement<FoundKey> =>
  statement(withNewKeys(nearKeys(`new_keys on new_keys.match = ${match}`)));

/**
 * For PostgreSQL only. Finds known keys that are nearly equal to other forms of the new keys. The keys are in parameter
 * 2, their forms in parameter 3.
 */
const SELECT_NEAR_FORMS = statement<FoundKey>(`
    with forms as materialized (select * from unnest($2::text[], $3::text[]) as each (key, match)), new_keys as materialized (
      select forms.match, record, items.key, file, line from (select items.* ${FROM_NEW_ITEMS}) as items
      join forms on forms.key = items.key collate "C"
    ) ${nearKeys(`new_keys on new_keys.match in (${SQL_NORMAL_KEY}, ${SQL_KEPT_DIGITS})`)}`);

const FORMS_AT_ONCE = 50_000;

/**
 * Finds other forms of the new keys that may be dates (`11/01/2010`, `Jan-11`) or long numbers. On SQLite, adds the
 * forms to the collected keys, and returns `added` if any of them are forms of long numbers. On PostgreSQL, returns
 * keys and forms for `SELECT_NEAR_FORMS`.
 */
function* otherForms(
  tables: Tables,
  run: RunRow,
): Work<"added" | readonly (readonly [keys: readonly string[], forms: readonly string[]])[]> {
  let last: [keys: string[], forms: string[]] = [[], []];
  const all = [last];
  let hasKeptDigits = false;
  yield* tables.eachBatch(SELECT_DATES_AND_NUMBERS, [run.number], function* add(rows) {
    const found = rows.flatMap(({ key, ...row }) =>
      otherMatches(tables.readKey(key)).map((match) => ({ ...row, key, match: tables.writtenKey(match) })),
    );
    hasKeptDigits ||= found.some(({ match }) => match.endsWith("~"));
    if (tables.dialect === "sqlite") {
      const values = found.map(({ match, record, key, file, line }) => [match, record, key, file, line]);
      yield* tables.runEach(INSERT_FORM, run.number, values);
      return;
    }
    for (const { key, match } of found) {
      if (last[0].length >= FORMS_AT_ONCE) all.push((last = [[], []]));
      last[0].push(key);
      last[1].push(match);
    }
  });
  if (tables.dialect === "sqlite") return hasKeptDigits ? "added" : [];
  return all.filter(([keys]) => keys.length > 0);
}

/** Row hashes are never negative, so -1 marks the other forms of a key. */
const INSERT_FORM = {
  sqlite: "insert into temp.new_keys (match, record, key, file, line, row_hash) values ($2, $3, $4, $5, $6, -1)",
  postgres: "",
};

interface FormedKey {
  readonly key: string;
  readonly record: number;
  readonly file: number;
  readonly line: number;
}

const SELECT_DATES_AND_NUMBERS = statement<FormedKey>({
  sqlite: `
    select record, key, file, line from new_keys
    where length(match) > ${KEPT_DIGITS} and match not glob '*[^0-9]*'
      or length(key) between 3 and 11 and (key glob '[0-9]*[-/. ]*[-/. ]*[0-9]' or key glob '[A-Za-z][A-Za-z][A-Za-z]*[0-9]'
        or key glob '[0-9]*[A-Za-z][A-Za-z][A-Za-z]' or key glob '[0-9]*[-/.][0-9]*')`,
  postgres: `
    select distinct items.key, 0 as record, 0 as file, 0 as line ${FROM_NEW_ITEMS} and (
      length(${SQL_NORMAL_KEY}) > ${KEPT_DIGITS} and ${SQL_NORMAL_KEY} ~ '^[0-9]+$'
      or length(items.key) between 3 and 11 and items.key ~ '^([0-9]{1,4}[-/. ][0-9A-Za-z]+[-/. ][0-9]+|[0-9]{1,2}[-/.][0-9]{1,4}|[0-9]{4}[-/.][0-9]{1,2}|[A-Za-z]{3,9}[- ]?[0-9]+|[0-9]{1,2}-?[A-Za-z]{3})$'
    )`,
});

/**
 * Selects new keys of rows that were sent or excluded under other keys. The keys that were sent come first. Omits a row
 * if the plan also contains the row with the other key, because the row then belongs to that key.
 */
const SELECT_SAME_ROWS = statement<FoundKey>(
  withNewKeys(
    `select same_rows.record, same_rows.key, same_rows.known, same_rows.was_sent as "wasSent", files.name as file,
      same_rows.line
    from same_rows
    left join own_rows on own_rows.identity = same_rows.identity and own_rows.row_hash = same_rows.row_hash
    inner join migrate.files on files.id = same_rows.file
    where own_rows.identity is null
    order by same_rows.record, 4 desc, same_rows.known`,
    `same_rows as materialized (
      select distinct new_keys.record, new_keys.key, new_keys.file, new_keys.line, items.key as known, items.identity,
        items.row_hash, case when ${WAS_SENT} then 1 else 0 end as was_sent
      from ${EARLIER_ITEMS}
      inner join new_keys on new_keys.row_hash = items.row_hash and new_keys.key <> items.key
      left join migrate.records on records.identity = items.identity
      ${OWN_ITEM}
      where this_run.id = $1 and items.row_hash is not null and (${WAS_SENT} or ${isExcluded("items")})
    )`,
    `own_rows as materialized (
      select distinct identity, row_hash from migrate.items
      where run = $1 and row_hash is not null and identity in (select identity from same_rows)
    )`,
  ),
);

const selectSuspects = (suspect: string): string => `
  select items.record, items.key, '' as known, 0 as "wasSent", files.name as file, items.line
  from migrate.items inner join migrate.files on files.id = items.file
  where items.run = $1 and ${suspect} and ${IS_NEW} order by items.record`;

/** Selects new keys that look as if a spreadsheet has changed them. */
const SELECT_SUSPECTS = statement<FoundKey>({
  sqlite: selectSuspects("(items.key glob '[0-9]*[Ee]+*' or substr(items.key, 1, 1) in ('''', '’', '=', '#'))"),
  postgres: selectSuspects("items.key ~ '^([0-9].*[Ee][+]|[''’=#])'"),
});
