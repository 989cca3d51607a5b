import type { Job } from "../../../job/job.ts";
import { NON_FIELD_ERRORS, parseAttr } from "../../../json/attr.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { OpenRecord } from "../../../ledger/migration-state.ts";
import { openLedgerStore } from "../../../ledger/open-ledger-store.ts";
import { contentHash } from "../../../ledger/records/record-hashes.ts";
import type { Problem } from "../../../model/problem.ts";
import type { InputRecord, Row } from "../../../model/record.ts";
import { mapRecord, prepareRecords } from "../../../pipeline/plan/check-records.ts";
import { readRunLedger, unlessEmpty } from "../../../pipeline/run/run-ledger.ts";
import { recordRows } from "../../../report/rejects/rejected-rows.ts";
import { correctionsOfKey } from "../edits/correction-log.ts";
import { columnIn, type SessionRows } from "./session-rows.ts";
import type { Found, SessionStore } from "./session-store.ts";

/** The records that the platform refused in the last push that contained them. */
export interface Refusals {
  readonly count: number;
  readonly has: (key: string | undefined) => boolean;
  /**
   * Returns the refusals of a record that still apply, with their places in the current input. All refusals apply if
   * the content matches the refused content. If the content differs because of corrections, the refusals of uncorrected
   * cells apply. If the content differs without corrections, the extract has changed and no refusal applies.
   */
  readonly openFor: (key: string | undefined, record: InputRecord, job: Job) => Promise<readonly Problem[]>;
}

/** Reads the refusals from the ledger. Returns no refusals if there is no ledger. */
export async function readRefusals(locator: string, store: SessionStore, rows: SessionRows): Promise<Refusals> {
  const starts = new Map<string, string>();
  let count = 0;
  const opened = await openLedgerStore(locator);
  await unlessEmpty(() =>
    readRunLedger(opened, async (ledger) => {
      for (const { id, startedAt } of await ledger.runs()) starts.set(id, startedAt);
      for await (const batch of ledger.openRecords()) count += await noteRefused(batch, ledger, store);
    }),
  );
  const find = (key: string | undefined): Found | undefined =>
    key === undefined || count === 0 ? undefined : store.one("select * from refused where key = ?", key);
  return {
    count,
    has: (key) => find(key) !== undefined,
    openFor: async (key, record, job) => {
      const found = find(key);
      if (found === undefined || record.orphan) return [];
      const problems = located(JSON.parse(String(found["problems"])), record, job);
      await prepareRecords([record], job);
      const { payload, parameters } = mapRecord(record, job);
      if (Buffer.from(contentHash(payload, parameters)).toString("hex") === found["content"]) return problems;
      const corrected = correctedCells(record, { store, rows }, starts.get(String(found["run"])) ?? "");
      if (corrected.length === 0) return [];
      return problems.filter(
        ({ place }) => !corrected.some(({ row, column }) => place !== undefined && columnIn(row, place) === column),
      );
    },
  };
}

async function noteRefused(batch: readonly OpenRecord[], ledger: Ledger, store: SessionStore): Promise<number> {
  const refused = batch.filter(({ state, key }) => state === "rejected" && key !== undefined);
  const contents = new Map<string, ReadonlyMap<number, Uint8Array>>();
  for (const run of new Set(refused.map((record) => record.run))) {
    const numbers = refused.filter((record) => record.run === run).map(({ record }) => record);
    contents.set(run, await ledger.contents(run, Math.min(...numbers), Math.max(...numbers)));
  }
  for (const { key = "", run, record, problems } of refused) {
    const content = contents.get(run)?.get(record);
    const errors = problems.filter(({ by, severity }) => by === "platform" && severity === "error");
    store.run(
      "insert into refused values (?,?,?,?) on conflict do nothing",
      key,
      JSON.stringify(errors),
      run,
      content === undefined ? null : Buffer.from(content).toString("hex"),
    );
  }
  return refused.length;
}

/** Returns the same problems with their places in the current input. */
function located(problems: readonly Problem[], { row }: InputRecord, { mapping }: Job): readonly Problem[] {
  return problems.map(({ place: _old, ...problem }) => {
    const path = parseAttr(problem.attr).filter((segment) => segment !== NON_FIELD_ERRORS);
    const place = mapping.locate(row, path);
    return place === undefined ? problem : { ...problem, place };
  });
}

/** Returns the cells of the record that were corrected after a run started. */
function correctedCells(
  record: InputRecord,
  { store, rows }: { readonly store: SessionStore; readonly rows: SessionRows },
  since: string,
): readonly { readonly row: Row; readonly column: string }[] {
  return recordRows(record).flatMap(({ row, child }) => {
    const source = child ?? record.source;
    const key = rows.keyOfRow(row, rows.sourceIndex(source));
    if (key === undefined) return [];
    return correctionsOfKey(store, source, key)
      .filter(({ at }) => at > since)
      .map(({ column }) => ({ row, column }));
  });
}
