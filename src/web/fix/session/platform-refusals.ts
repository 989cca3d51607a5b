import type { Operation } from "../../../contract/operations/operation.ts";
import { endpointOf } from "../../../job/endpoint.ts";
import type { Job } from "../../../job/job.ts";
import { settingsIfKnown } from "../../../job/settings/recorded-settings.ts";
import { NON_FIELD_ERRORS, parseAttr } from "../../../json/attr.ts";
import { differingAttrs } from "../../../json/differing-attrs.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { OpenRecord } from "../../../ledger/migration-state.ts";
import { openLedgerStore } from "../../../ledger/open-ledger-store.ts";
import { contentHash } from "../../../ledger/records/record-hashes.ts";
import type { Run } from "../../../ledger/records/run.ts";
import { cellsOf, type Place } from "../../../model/place.ts";
import type { Problem } from "../../../model/problem.ts";
import type { InputRecord, MappedRecord } from "../../../model/record.ts";
import { readRunLedger, unlessEmpty } from "../../../pipeline/run/run-ledger.ts";
import { cellText } from "../../../read/corrections/correction.ts";
import { recordRows } from "../../../report/rejects/rejected-rows.ts";
import { type EarlierRecords, sentRecord } from "./earlier-records.ts";
import { columnIn } from "./session-rows.ts";
import type { Found, SessionStore } from "./session-store.ts";

/** The records that the platform rejected in the last push that contained them. */
export interface Refusals {
  readonly count: number;
  readonly has: (key: string | undefined) => boolean;
  /**
   * Returns the refusals of a record that still apply, with their places in the current input. If the sources contain
   * the refused content, the refusals of the cells that have not changed apply. If the sources have new content for the
   * record, no refusal applies. If the setup of the push is lost, all refusals apply. Records are passed in order.
   */
  readonly openFor: (key: string | undefined, record: InputRecord, job: Job) => Promise<readonly Problem[]>;
}

interface RefusalParts {
  readonly operation: Operation;
  readonly store: SessionStore;
  readonly earlier: EarlierRecords;
}

/**
 * Reads the refusals of an operation from the ledger, because another operation can have records with the same keys.
 * Returns no refusals if there is no ledger.
 */
export async function readRefusals(locator: string, { operation, store, earlier }: RefusalParts): Promise<Refusals> {
  let count = 0;
  const opened = await openLedgerStore(locator);
  await unlessEmpty(() =>
    readRunLedger(opened, async (ledger) => {
      const runs = (await ledger.runs()).filter((run) => hasOperation(run, operation));
      const ids = new Set(runs.map(({ id }) => id));
      for await (const batch of ledger.openRecords()) {
        const own = batch.filter(({ run }) => ids.has(run));
        count += await noteRefused(own, ledger, store);
      }
      for (const { run } of store.all("select distinct run from refused")) await earlier.prepare(String(run), ledger);
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
      const now = await sentRecord(record, job);
      if (contentOf(now) === found["content"]) return problems;
      const refused = await earlier.at(String(found["run"]), record.number);
      if (refused === undefined || found["content"] === null) return problems;
      if (contentOf(refused) !== found["content"]) return [];
      const changed = differingAttrs(refused.payload, now.payload);
      return problems.filter((problem) => !isCellChanged(problem, refused, now) && !isChanged(problem, changed));
    },
  };
}

/** Whether a run sent its records to the address of an operation, on any platform. */
function hasOperation(run: Run, operation: Operation): boolean {
  const baseUrl = settingsIfKnown(run)?.target.baseUrl;
  return baseUrl === undefined || endpointOf(baseUrl, operation) === run.endpoint;
}

function contentOf({ payload, parameters }: MappedRecord): string {
  return Buffer.from(contentHash(payload, parameters)).toString("hex");
}

/** Whether a cell of a problem has changed since the record was refused. */
function isCellChanged({ place }: Problem, refused: InputRecord, now: InputRecord): boolean {
  return (place === undefined ? [] : cellsOf(place)).some((cell) => {
    const text = textAt(cell, now);
    return text !== undefined && text !== textAt(cell, refused);
  });
}

/** Returns the text of a cell; undefined if the place is not a cell of the record. */
function textAt(place: Place, record: InputRecord): string | undefined {
  for (const { row } of recordRows(record)) {
    const column = columnIn(row, place);
    if (column !== undefined) return cellText(row, column);
  }
  return undefined;
}

/** Whether the value of a problem, or an object or list that contains it, is one of the changed attrs. */
function isChanged({ attr }: Problem, changed: readonly string[]): boolean {
  return changed.some((each) => each === attr || attr.startsWith(`${each}.`));
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
    const hash = content === undefined ? null : Buffer.from(content).toString("hex");
    store.run("insert into refused values (?,?,?,?) on conflict do nothing", key, JSON.stringify(errors), run, hash);
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
