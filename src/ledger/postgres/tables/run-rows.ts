import type { LedgerHistory, NewRun, PlanPolicy, Run } from "../../ledger.ts";
import { newRunId } from "../../runs/run-id.ts";
import { AFTER_INTERRUPTION, type RunColumns, severalRuns, toRun, unknownRun } from "../../runs/recorded-run.ts";
import { applyKnownRecords } from "../plan/known-rows.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { PostgresValue, Queries, Statement, Transaction } from "../queries.ts";
import { countRequests } from "./count-rows.ts";

export async function startRun(transaction: Transaction, run: NewRun, toolVersion: string | undefined): Promise<Run> {
  await closeInterruptedAttempts(transaction, run.startedAt);
  for (;;) {
    const id = newRunId(run.startedAt);
    const started = toRun(await transaction.row(INSERT_RUN, ...runValues(id, run, toolVersion)));
    if (started !== undefined) return started;
  }
}

/**
 * Finds a run by id, by a unique prefix of it, or the latest run.
 * @throws Failure `run_unknown` if several runs match
 */
export async function findRun(queries: Queries, id?: string): Promise<Run | undefined> {
  if (id === undefined) return toRun(await queries.row(SELECT_LATEST));
  const found = await queries.rows(SELECT_BY_PREFIX, id);
  if (found.length < 2) return toRun(found[0]);
  throw severalRuns(id);
}

/** Latest first. */
export async function listRuns(queries: Queries): Promise<readonly Run[]> {
  return (await queries.rows(SELECT_ALL)).flatMap((row) => toRun(row) ?? []);
}

export async function historyOf(queries: Queries): Promise<LedgerHistory> {
  const { id = null, at = null } = (await queries.row(SELECT_HISTORY)) ?? {};
  return { id: id ?? undefined, requests: await countRequests(queries), lastGivenUpAt: at ?? undefined };
}

const SELECT_HISTORY: Statement<{ id: string | null; at: string | null }> = {
  sql: `
  select (select name from migrate.runs order by id limit 1) as id,
    (select max(settled_at) from migrate.attempts where status = 'ambiguous') as at`,
};

/** @throws Failure `run_unknown` if the ledger has no run with this id */
export async function requireRun(queries: Queries, id: string): Promise<RunRow> {
  const row = await queries.row(SELECT_ROW, id);
  if (row !== undefined) return row;
  throw unknownRun(`"${id}"`);
}

export async function resumeRun(
  transaction: Transaction,
  { run, policy, at }: { readonly run: RunRow; readonly policy: PlanPolicy; readonly at: string },
): Promise<Run> {
  await closeInterruptedAttempts(transaction, at);
  if (run.state !== "planning") {
    await transaction.run(
      "update migrate.items set status = 'pending' where run = $1 and status in ('blocked', 'ambiguous')",
      run.number,
    );
    await reopenRejected(transaction, run);
    await applyKnownRecords(transaction, run, policy);
    await transaction.run(
      "update migrate.runs set state = 'sending', finished_at = null, exit_code = null where id = $1",
      run.number,
    );
  }
  const resumed = toRun(await transaction.row(SELECT_BY_NUMBER, run.number));
  if (resumed === undefined) throw unknownRun(`number ${run.number}`);
  return resumed;
}

/**
 * Makes a rejected record `pending` if a recovery shows that it may have been sent again since. The rejection may then
 * be outdated.
 */
export async function reopenRejected(transaction: Transaction, { number }: RunRow): Promise<void> {
  await transaction.run(REOPEN_REJECTED, number);
}

const REOPEN_REJECTED = `
  update migrate.items set status = 'pending' from migrate.records
  where items.run = $1 and items.status = 'rejected' and records.identity = items.identity
    and records.state = 'ambiguous' and records.content = items.content
    and (exists (select from migrate.recoveries where uncertain) or exists (select from migrate.attempts where run = 0))`;

/** A run with an unfinished plan stays `planning`: to resume it, its input must be read again. */
export async function finishRun(
  transaction: Transaction,
  run: RunRow,
  end: { readonly exitCode: number; readonly at: string },
): Promise<void> {
  await transaction.run(
    `update migrate.runs set state = case state when 'planning' then state else 'finished' end, finished_at = $2,
       exit_code = $3
     where id = $1`,
    run.number,
    end.at,
    end.exitCode,
  );
}

/** Records of a run that one worker sends. */
export interface RecordRange {
  readonly run: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Closes attempts in flight of a dead process. It is unknown whether the platform has processed them. Callers hold the
 * lease of the range, so no live run is affected.
 * @param range default: the whole ledger
 */
export async function closeInterruptedAttempts(
  transaction: Transaction,
  at: string,
  range?: RecordRange,
): Promise<void> {
  const within =
    range === undefined ? "" : ` and run = ${range.run} and record between ${range.first} and ${range.last}`;
  for (const { harmless, status, reason } of AFTER_INTERRUPTION) {
    const inFlight = `from migrate.attempts where status = 'sending' and harmless = ${harmless}${within}`;
    await transaction.run(
      `update migrate.items set status = $1 where status = 'sending' and (run, record) in (select run, record ${inFlight})`,
      status,
    );
    await transaction.run(
      `update migrate.records set state = $1 where state = 'sending' and identity in (select identity ${inFlight})`,
      status,
    );
    await transaction.run(
      `update migrate.attempts set status = $1, settled_at = $2, reason = $3
       where status = 'sending' and harmless = ${harmless}${within}`,
      status,
      at,
      reason,
    );
  }
}

const SELECT_LATEST: Statement<RunColumns> = { sql: "select * from migrate.runs order by id desc limit 1" };
const SELECT_ALL: Statement<RunColumns> = { sql: "select * from migrate.runs order by id desc" };
const SELECT_BY_NUMBER: Statement<RunColumns> = { sql: "select * from migrate.runs where id = $1" };
const SELECT_BY_PREFIX: Statement<RunColumns> = {
  sql: "select * from migrate.runs where starts_with(name, $1) limit 2",
};
const SELECT_ROW: Statement<RunRow> = {
  sql: `select id as number, state, command = 'push' and not dry_run as sends from migrate.runs where name = $1`,
  isQuick: true,
};

const INSERT_RUN: Statement<RunColumns> = {
  sql: `insert into migrate.runs
    (name, command, target, supplier, operation, endpoint, settings, dry_run, tool_version, state, started_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'planning', $10) on conflict (name) do nothing returning *`,
};

function runValues(id: string, run: NewRun, toolVersion: string | undefined): readonly PostgresValue[] {
  const settings = JSON.stringify(run.settings ?? null);
  const { command, target, supplier, operation, endpoint, dryRun, startedAt } = run;
  return [id, command, target, supplier, operation, endpoint, settings, dryRun, toolVersion ?? null, startedAt];
}
