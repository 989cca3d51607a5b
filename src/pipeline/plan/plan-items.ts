import type { CompiledJob } from "../../job/job.ts";
import { filledEndpoint } from "../../job/endpoint.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { type JsonValue, valueAt } from "../../json/json-value.ts";
import type { ExcludedRow, FileCells, PlannedItem, RowCell } from "../../ledger/records/planned-item.ts";
import type { PackedItems } from "../../ledger/packed/item-columns.ts";
import { createFastContentHash } from "../../json/fast-content-hash.ts";
import { contentText, contentTextHash, recordIdentity } from "../../ledger/records/record-hashes.ts";
import { rowHash } from "../../ledger/records/row-hash.ts";
import { compileSentForm, type ToSentForm } from "../../map/node/sent-form.ts";
import type { Problem } from "../../model/problem.ts";
import { ownColumn } from "../../map/source-columns.ts";
import type { Place } from "../../model/place.ts";
import { isCsvRow, type MappedRecord, type Row } from "../../model/record.ts";
import { isValid } from "./check-records.ts";
import { compareWithRejects } from "./rejected-keys.ts";

/** The purpose of a push, including a dry run. A push identifies records by their endpoint, supplier and key. */
export interface SendPurpose {
  readonly kind: "send";
  /** Method and address for creating the records. */
  readonly endpoint: string;
  readonly supplier: string;
  /** Method and address for creating the records that must be accepted first. */
  readonly awaitedEndpoint?: string | undefined;
}

/** Settings for plan items, in addition to the job. Plain data, because they are passed to worker threads. */
export interface ItemSettings {
  readonly purpose: { readonly kind: "validate" } | SendPurpose;
  /** Whether to send locally invalid records where possible, so that the platform decides. */
  readonly sendInvalid?: boolean | undefined;
  /** Whether to accept new keys, and keys that differ from those in the rejects file. */
  readonly newKeys?: boolean | undefined;
}

/** A planned batch without its items. */
export interface BatchFindings {
  readonly count: number;
  /** Positions of the items with invalid records, in order. These records may still be sent (`sendInvalid`). */
  readonly invalid: readonly number[];
  readonly excluded: readonly FoundExclusion[];
  readonly fileCells: readonly FoundFileCells[];
}

/** The plan items for a batch of checked records. */
export interface PlannedBatch extends BatchFindings {
  readonly items: PackedItems;
}

/** A planned batch whose items are not packed. */
export interface BuiltBatch extends BatchFindings {
  readonly items: readonly PlannedItem[];
}

/** A record that must not be sent, and the position of the item that prevents sending it. */
interface FoundExclusion {
  readonly position: number;
  readonly row: ExcludedRow;
}

/** The cells of a file to which problems point, and the position of the item in which the cells were found. */
interface FoundFileCells {
  readonly position: number;
  readonly file: string;
  readonly cells: FileCells;
  /** The index of the item's row in the array of a JSON file. */
  readonly element?: number;
}

/** For a push: receives a valid record and its `contentText`. */
export type KeepPayload = (record: MappedRecord, text: string) => void;

/**
 * Returns a function that converts a batch of checked records into plan items. The function does not compare records
 * with each other.
 */
export function createItemBuilder(
  job: CompiledJob,
  settings: ItemSettings,
  keepPayload?: KeepPayload,
): (batch: readonly MappedRecord[]) => BuiltBatch {
  const fastHash = createFastContentHash();
  const toSentForm = compileSentForm(job.operation);
  const filesWithCells = new Set<string>();
  return (records) => {
    const batch = settings.newKeys === true ? records : compareWithRejects(records, job);
    const fileCells: FoundFileCells[] = [];
    for (const [position, record] of batch.entries()) {
      const { file } = record.row.table;
      if (record.orphan || !record.readable || filesWithCells.has(file)) continue;
      filesWithCells.add(file);
      fileCells.push({ position, file, ...fileCellsIn(record.row, job) });
    }
    return {
      count: batch.length,
      items: batch.map((record) => {
        const planned = settings.sendInvalid === true ? withErrorsAsWarnings(record) : record;
        return plannedItem(planned, { job, settings, fastHash, toSentForm, keepPayload });
      }),
      invalid: batch.flatMap((record, position) => (isValid(record) ? [] : [position])),
      excluded: batch.flatMap((record, position) => excludedParents(record, job).map((row) => ({ position, row }))),
      fileCells,
    };
  };
}

interface ItemContext {
  readonly job: CompiledJob;
  readonly settings: ItemSettings;
  readonly fastHash: (content: JsonValue) => number;
  readonly toSentForm: ToSentForm;
  readonly keepPayload: KeepPayload | undefined;
}

function plannedItem(record: MappedRecord, context: ItemContext): PlannedItem {
  const { purpose } = context.settings;
  const { number, key, row, problems, asOf } = record;
  return {
    record: number,
    key,
    identity: key === undefined || purpose.kind === "validate" ? undefined : identityOf(record, key, purpose, context),
    content: key === undefined ? undefined : contentOf(record, context),
    file: row.table.file,
    line: row.line,
    status: isValid(record) ? "valid" : "invalid",
    problems,
    ...(purpose.kind === "send" && { rowHash: rowHash(row), asOf, ...awaitedRecord(record, purpose, context) }),
  };
}

function identityOf(
  { parameters }: MappedRecord,
  key: string,
  { endpoint, supplier }: SendPurpose,
  { job: { operation } }: ItemContext,
): Uint8Array {
  return recordIdentity({ endpoint: filledEndpoint(endpoint, operation, parameters), supplier, key });
}

function contentOf(record: MappedRecord, context: ItemContext): PlannedItem["content"] {
  const { settings, fastHash, toSentForm, keepPayload } = context;
  const { payload, parameters } = toSentForm(record);
  if (settings.purpose.kind === "validate") return fastHash(parameters === undefined ? payload : [payload, parameters]);
  const text = contentText(payload, parameters);
  if (isValid(record)) keepPayload?.(record, text);
  return contentTextHash(text);
}

/** Returns the identity of the record that must be accepted before this record is sent (`after:` in the mapping). */
function awaitedRecord(
  { payload, parameters }: MappedRecord,
  { awaitedEndpoint, supplier }: SendPurpose,
  { job: { after } }: ItemContext,
): { readonly awaits?: Uint8Array } {
  const key = after === undefined ? undefined : valueAt(payload, after.key);
  if (after === undefined || awaitedEndpoint === undefined || (typeof key !== "string" && typeof key !== "number"))
    return {};
  const endpoint = filledEndpoint(awaitedEndpoint, after.operation, parameters);
  return { awaits: recordIdentity({ endpoint, supplier, key: String(key) }) };
}

function fileCellsIn(row: Row, { mapping, after }: CompiledJob): Pick<FoundFileCells, "cells" | "element"> {
  const { asOf, keyAttr } = mapping;
  const cellsBehind = (attr: AttrPath | undefined): readonly RowCell[] =>
    attr === undefined ? [] : cellsIn(row, mapping.cellsBehind(row, attr));
  const dates = asOf?.column === undefined ? [] : [ownColumn(asOf.column).placeIn(row)];
  const cells = { key: cellsBehind(keyAttr), asOf: cellsIn(row, dates), awaited: cellsBehind(after?.key) };
  return isCsvRow(row) || row.pointer === "" ? { cells } : { cells, element: Number(row.pointer.slice(1)) };
}

/** Returns the cells at these places; empty if one of the places is not in the row. */
function cellsIn(row: Row, places: readonly Place[]): readonly RowCell[] {
  const cells = places.flatMap(({ file, line, column, columnNumber, pointer }): readonly RowCell[] => {
    if (file !== row.table.file || line !== row.line) return [];
    if (isCsvRow(row)) return column === undefined || columnNumber === undefined ? [] : [{ column, columnNumber }];
    return pointer?.startsWith(`${row.pointer}/`) === true ? [{ pointer: pointer.slice(row.pointer.length) }] : [];
  });
  return cells.length === places.length ? cells : [];
}

/**
 * Returns the probable parents of an orphan. Records must not be sent without their orphans, because the platform
 * accepts an account only once. Orphans come after all other records, so their parents are already in the plan.
 */
function excludedParents(record: MappedRecord, { mapping }: CompiledJob): readonly ExcludedRow[] {
  if (!record.orphan) return [];
  return record.problems.flatMap((problem) => {
    if (problem.code !== "source_orphan_row" || !("near" in problem) || !problem.near || !problem.place) return [];
    const { near, alsoNear = [], place } = problem;
    const finding = { code: "source_child_left_out", child: record.source, other: place } as const;
    const attr = formatAttr(mapping.keyAttr ?? []);
    return [near, ...alsoNear].flatMap(({ records, ...parent }) => {
      const left = { attr, severity: "error", by: "local", place: parent, ...finding } as const;
      return records.map((start) => ({ ...start, problem: left }));
    });
  });
}

/**
 * Turns the errors of an invalid record into warnings, so that the platform decides (`push --send-invalid`). The errors
 * remain if sending could do harm: if the record was not read completely, has too many errors to list, has no business
 * key, or has an unsafe document path. Duplicate keys are detected later, among all records, and records with such keys
 * are never sent.
 */
export function withErrorsAsWarnings(record: MappedRecord): MappedRecord {
  if (!record.readable || record.orphan || record.key === undefined || record.problems.some(isUnsafeToSend))
    return record;
  return { ...record, problems: record.problems.map((problem) => ({ ...problem, severity: "warning" })) };
}

function isUnsafeToSend({ code, severity, unlisted }: Problem): boolean {
  return severity === "error" && (unlisted !== undefined || code.startsWith("source_") || UNSAFE_CODES.has(code));
}

const UNSAFE_CODES: ReadonlySet<string> = new Set(["unsafe_document_path", "duplicate_key", "key_differs_from_reject"]);
