import { Failure } from "../../model/failure.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { counted } from "../../text/count.ts";
import type { PlannedPlace, PlanPolicy } from "../records/planned-item.ts";
import { cellPlace, type KeyProblem, keyProblem } from "../records/key-place.ts";
import { ANY_UNCERTAIN } from "../records/prior-content.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { NOTED_SCHEDULED } from "../tables/counts.ts";
import { holdNewIfUncertain } from "../tables/recoveries.ts";
import { holdInvalid, noteSkipped } from "../tables/planned-records.ts";
import { type EachStatement, exists, type Sql, statement, type Tables, type Work } from "../tables/tables.ts";
import type { Compared } from "./compared-runs.ts";
import { markExcluded } from "./excluded-records.ts";
import { skipCorrected } from "./corrected-records.ts";
import { type PlanFinding, writeEach, writeFindings } from "./findings.ts";
import { refuseStale } from "./stale-records.ts";

/**
 * Sets the status of the records that are left to send in a run, after comparing them with all runs:
 *
 * - `excluded`: excluded from the migration by the user
 * - `skipped`: accepted with this content, or with a corrected version of it
 * - `stale`: older than other content that was sent before, unless `allowOlder`; in a resumed run, also if a later run
 *   has sent other content, unless that makes the record `unique`
 * - `invalid`, code `unique`: accepted with different content or in part, unless `revise`
 * - `ambiguous`: may have been processed, unless `resendAmbiguous`; with `resendAmbiguous`, only if the content is a
 *   change that the user has not confirmed with `revise`, or if a later run has sent other content
 * - `blocked`, code `account_not_found`: waits for a record that has not been accepted yet
 * - `invalid`, code `circular_dependency`: waits for itself
 *
 * All other records are sent: new records, and records that an earlier run left `blocked`, `rejected` or `existing`.
 * Rejected and existing records are sent even if they are unchanged, because the cause may have been fixed on the
 * platform, and a refused request creates nothing. If the platform has a rejected record in part, the record is sent
 * only with `revise`, unless a repeat creates nothing (`PartialRecord`).
 */
export function* applyKnownRecords(tables: Tables, run: RunRow, policy: PlanPolicy, compared: Compared): Work<void> {
  yield* markExcluded(tables, run, TO_SEND[compared === "all" ? "all" : "left"]);
  if (policy.after !== undefined) yield* blockDependents(tables, run, policy, policy.after);
  if (yield* exists(tables, ANY_RECORD)) yield* compareRecords(tables, run, policy, compared);
  if (policy.createsOnce !== true) yield* holdNewIfUncertain(tables, run);
}

const ANY_RECORD = "select id from migrate.records limit 1";

function* compareRecords(tables: Tables, run: RunRow, policy: PlanPolicy, compared: Compared): Work<void> {
  const isWhole = compared === "all" || compared === "left";
  if (isWhole) yield* skipCorrected(tables, run, policy);
  else yield* listRecords(tables, compared);
  const toSend = isWhole ? TO_SEND[compared] : LISTED;
  yield* tables.run(skipAccepted(toSend), run.number);
  yield* adoptContent(tables, run, toSend);
  yield* refuseStale(tables, run, policy, { index: toSend.index, known: knownToSend(toSend) });
  if (!policy.revise || compared !== "all") {
    yield* refuseChanged(tables, run, policy, toSend);
    if (policy.resendAmbiguous) yield* tables.run(holdChanged(toSend, policy), run.number);
  }
  if (compared !== "all") yield* refuseReplaced(tables, run, policy, toSend);
  if (policy.scheduledStep !== undefined) yield* tables.run(noteScheduled(toSend), run.number, policy.scheduledStep);
  if (!policy.resendAmbiguous) yield* tables.run(holdAmbiguous(toSend), run.number);
  if (!isWhole) yield* tables.run(DROP_LISTED);
  if (run.sends) yield* noteSkipped(tables, run.number);
}

/** SQL condition for records that may still be sent, and a hint for the SQLite index that finds them. */
interface ToSend {
  readonly index: string;
  readonly status: string;
}

const TO_SEND: Readonly<Record<"all" | "left", ToSend>> = {
  // A new plan is read without an index, because most of its records are left to send. An interrupted run may have few
  // such records.
  all: { index: "", status: "items.status in ('valid', 'pending')" },
  left: { index: "/*+ indexed by items_open */", status: "items.status = 'pending'" },
};

/** SQLite only: a list of record numbers, for comparing a few records. */
const LISTED: ToSend = {
  index: "",
  status: "items.record in (select record from temp.listed) and items.status = 'pending'",
};

const DROP_LISTED = "drop table if exists temp.listed";

function* listRecords(tables: Tables, records: readonly number[]): Work<void> {
  yield* tables.run(DROP_LISTED);
  yield* tables.run("create temp table listed (record integer primary key)");
  yield* tables.run("insert into temp.listed select value from json_each($1)", records);
}

const knownToSend = ({ status }: ToSend): string =>
  `items.run = $1 and ${status} and records.identity = items.identity`;

const skipAccepted = (toSend: ToSend): string => `
  update migrate.items ${toSend.index} set status = 'skipped', account = records.account from migrate.records
  where ${knownToSend(toSend)} and records.state not in ('ambiguous', 'existing')
    and records.accepted_content = items.content`;

/**
 * Sets the content of each ambiguous record that has no known request to its content in this run. An earlier plan sent
 * nothing, so its content is not the content of a request. Only an uncertain recovery makes such records ambiguous.
 */
function* adoptContent(tables: Tables, run: RunRow, toSend: ToSend): Work<void> {
  if (!(yield* exists(tables, ANY_UNCERTAIN))) return;
  const sql = `
    update migrate.records set content = items.content from migrate.items ${toSend.index}
    where ${knownToSend(toSend)} and records.state = 'ambiguous' and records.attempts = 0
      and records.content <> items.content`;
  yield* tables.run(sql, run.number);
}

/**
 * Makes a record `ambiguous` if the platform has replied to its `scheduledStep` and this run has other content for the
 * record. The platform will create the record with the earlier content. Other content must not be sent before the
 * result is known. On PostgreSQL, notes that there are ambiguous records whose last request is not ambiguous.
 */
function noteScheduled(toSend: ToSend): Sql {
  const sqlite = `
    update migrate.records set state = 'ambiguous' from migrate.items ${toSend.index}
    where ${knownToSend(toSend)} and records.state in ('pending', 'blocked') and records.step = $2
      and records.content <> items.content`;
  const postgres = `
    with noted as (${sqlite} returning 1)
    insert into migrate.counts (run, kind, name, count)
    select $1, '${NOTED_SCHEDULED}', '', count(*) from noted having count(*) > 0`;
  return { sqlite, postgres };
}

const holdAmbiguous = (toSend: ToSend): string => `
  update migrate.items ${toSend.index} set status = 'ambiguous' from migrate.records
  where ${knownToSend(toSend)} and records.state = 'ambiguous'`;

/**
 * Does the same as `holdAmbiguous` for records that `refuseChanged` would refuse if they were not ambiguous. A record
 * whose last request had this content is sent again, because the user confirmed that request with `revise`. Empty
 * accepted content means that the platform was found to have other content, perhaps since that request.
 */
const holdChanged = (toSend: ToSend, { revise }: PlanPolicy): string => `
  ${holdAmbiguous(toSend)} and records.accepted_content <> items.content and ${revise ? IS_SENT_LATER : IS_NOT_LAST}`;

const IS_NOT_LAST = "(records.content <> items.content or records.accepted_content = ''::bytea)";

/**
 * Marks records as `blocked` while they wait for another record. A record that an earlier comparison blocked keeps its
 * problem, because the columns of keys are known only when the input is read.
 */
function* blockDependents(tables: Tables, run: RunRow, policy: PlanPolicy, after: string): Work<void> {
  yield* writeEach(tables, run, SELECT_WAITING, (row) => {
    const problem: LocalProblem = { ...referenceProblem(row, policy), code: "account_not_found", after };
    return { record: row.record, status: "blocked", problems: row.isKnown ? [] : [problem] };
  });
  yield* tables.run(DELETE_OUTDATED, run.number);
  yield* refuseCircular(tables, run, policy, after);
}

/** Returns the common part of all problems that concern the reference to another record. */
function referenceProblem(row: PlannedPlace, policy: PlanPolicy): KeyProblem<"error"> {
  const problem = keyProblem("error", row, policy);
  const { awaitedAttr: attr } = policy;
  return attr === undefined ? problem : { ...problem, attr, place: cellPlace(policy, row, "awaited") };
}

const DELETE_OUTDATED = `
  delete from migrate.problems
  where run = $1 and attempt = 0 and code = 'account_not_found' and not exists (
    select 1 from migrate.items where run = problems.run and record = problems.record and status = 'blocked')`;

/**
 * SQL condition: the platform has accepted the record, in full or in part. Empty accepted content after a decision
 * means that the platform has the record with different values (`conflict`), perhaps from another system.
 */
const IS_ACCEPTED = `(accepted_content <> ''::bytea or accepted_content is not null and not exists (
  select 1 from migrate.decisions where decisions.identity = records.identity and decision = 'rejected'))`;

const SELECT_WAITING = statement<PlannedPlace & { readonly isKnown: boolean | 0 | 1 }>(`
  select items.record, items.line, files.name as file, exists (
      select 1 from migrate.problems
      where run = items.run and record = items.record and attempt = 0 and code = 'account_not_found') as "isKnown"
  from migrate.items inner join migrate.files on files.id = items.file
  where items.run = $1 and items.status in ('valid', 'pending') and items.awaits is not null
    and not exists (select 1 from migrate.records where identity = items.awaits and ${IS_ACCEPTED})
    and not exists (
      select 1 from migrate.records where identity = items.identity and accepted_content = items.content)
  order by items.record`);

/**
 * Refuses records that wait for themselves, directly or through other records, because such records can never be sent.
 * Also follows chains of waiting records through records that other runs have left blocked.
 */
function* refuseCircular(tables: Tables, run: RunRow, policy: PlanPolicy, after: string): Work<void> {
  const circular = yield* tables.rows(SELECT_CIRCULAR, run.number);
  requireOneDirection(circular.length, policy);
  const records = circular.map(({ record }) => [record]);
  yield* tables.runEach(DELETE_WAITING, run.number, records);
  const findings = circular.map((row): PlanFinding => {
    const problem: LocalProblem = { ...referenceProblem(row, policy), code: "circular_dependency", after };
    return { record: row.record, status: "invalid", problems: [problem] };
  });
  yield* writeFindings(tables, run, findings);
  yield* holdInvalid(tables, run.number, findings);
}

/**
 * Refuses two mappings that refer to each other. If each record waits for the record with the same key, a cycle can
 * come only from such mappings, not from the data.
 * @throws Failure `mapping_invalid`
 */
function requireOneDirection(circular: number, { after, awaitsOwnKey }: PlanPolicy): void {
  if (circular === 0 || after === undefined || awaitsOwnKey !== true) return;
  throw new Failure(
    "mapping_invalid",
    `\`after\` of this mapping names ${after}, whose records wait for records of this mapping: ${counted(circular, "record")} would wait forever`,
    { hint: "nothing was sent. Remove `after` from the mapping whose records come first, and push that mapping again" },
  );
}

const DELETE_WAITING: EachStatement = {
  sqlite: "delete from problems where run = $1 and record = $2 and attempt = 0 and code = 'account_not_found'",
  postgres: `
    delete from migrate.problems
    where run = $1 and record = any($2::int[]) and attempt = 0 and code = 'account_not_found'`,
};

const SELECT_CIRCULAR = statement<PlannedPlace>(`
  with recursive waits as materialized (
    select run, record, identity, awaits from migrate.items
    where status = 'blocked' and awaits is not null
      and not exists (
        select 1 from migrate.records where records.identity = items.identity and accepted_content is not null)
  ), walk (record, start, at) as (
    select record, identity, awaits from waits where run = $1 and identity in (select awaits from waits)
    union
    select walk.record, walk.start, waits.awaits from walk join waits on waits.identity = walk.at
    where walk.at <> walk.start
  )
  select items.record, items.line, files.name as file
  from migrate.items join migrate.files on files.id = items.file
  where items.run = $1 and items.record in (select record from walk where at = start)
  order by items.record`);

interface ChangedRow extends PlannedPlace {
  readonly acceptedAt: string;
  /** Whether the platform has no version in full. */
  readonly isPartial: boolean | 0 | 1;
}

/**
 * Refuses changes of accepted records. With `revise`, refuses only content that a later run has replaced. Such content
 * becomes `stale`, which keeps it out of the rejects. Otherwise, re-importing the rejects with `revise` would send it.
 */
function* refuseChanged(tables: Tables, run: RunRow, policy: PlanPolicy, toSend: ToSend): Work<void> {
  const selectChanged = statement<ChangedRow>(`
    select items.record, items.line, files.name as file, records.accepted_at as "acceptedAt",
      records.accepted_content = ''::bytea as "isPartial"
    from migrate.items ${toSend.index}
    inner join migrate.records on ${knownToSend(toSend)} inner join migrate.files on files.id = items.file
    where records.accepted_content <> items.content and records.state <> 'ambiguous'
      ${policy.revise ? `and ${IS_SENT_LATER}` : ""}
    order by items.record`);
  yield* writeEach(tables, run, selectChanged, (row) => {
    const { record, acceptedAt, isPartial } = row;
    const about = keyProblem("error", row, policy);
    if (policy.revise) return { record, status: "stale", problems: [{ ...about, code: "stale" }] };
    const problem: LocalProblem = { ...about, code: "unique", acceptedAt, ...(isPartial && { isPartial: true }) };
    return { record, status: "invalid", problems: [problem] };
  });
}

/**
 * Marks records as `stale` if a later run has sent other content that the platform has not accepted. Ambiguous records
 * stay `ambiguous`, and the later run decides their status.
 */
function* refuseReplaced(tables: Tables, run: RunRow, policy: PlanPolicy, toSend: ToSend): Work<void> {
  const selectReplaced = statement<PlannedPlace>(`
    select items.record, items.line, files.name as file from migrate.items ${toSend.index}
    inner join migrate.records on ${knownToSend(toSend)} inner join migrate.files on files.id = items.file
    where records.state <> 'ambiguous' and ${IS_REPLACED}
    order by items.record`);
  yield* writeEach(tables, run, selectReplaced, (row) => {
    return { record: row.record, status: "stale", problems: [{ ...keyProblem("error", row, policy), code: "stale" }] };
  });
  if (policy.resendAmbiguous) yield* tables.run(`${holdAmbiguous(toSend)} and ${IS_REPLACED}`, run.number);
}

/**
 * SQL condition: a run that began after this run has sent the content of the last request, and this content differs
 * from the item. The first comparison avoids reading the items of later runs that did not plan the record.
 */
const IS_REPLACED = `records.planned_run > $1 and records.content <> items.content
  and (records.identity, records.content) in (
    select later.identity, later.content from migrate.items as later
    where later.run > $1 and later.attempt is not null)`;

/** SQL condition: a run that began after this run has sent the accepted content, or skipped it. */
const IS_SENT_LATER = `(records.identity, records.accepted_content) in (
  select later.identity, later.content from migrate.items as later
  where later.run > $1 and later.status in ('accepted', 'skipped'))`;
