import type { Job } from "../job/job.ts";
import { formatAttr } from "../json/attr.ts";
import { definedMembers } from "../json/defined-members.ts";
import type { JsonObject } from "../json/json-value.ts";
import { ON_PLATFORM, type Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { MeasureProof } from "../model/proof.ts";
import { type InputRecord, isCsvRow, type Row } from "../model/record.ts";
import { type Amount, type TracedAmount, amountsOf, cellReader, createMeasureTotals, isWhole } from "./measure-sums.ts";
import type { PlatformAnswer } from "./platform-check.ts";
import { createNumberSet, type NumberSet } from "../text/number-set.ts";
import { type ProofTable, rowsOf } from "./row-counter.ts";

export interface AmountTracer {
  readonly add: (record: MeasuredRecord) => Promise<void>;
  /** Writes a difference that does not concern an amount. */
  readonly note: (kind: string, outcome: Outcome) => Promise<void>;
  readonly result: () => { readonly measures: readonly MeasureProof[]; readonly differences: number };
}

interface MeasuredRecord {
  readonly record: InputRecord;
  readonly outcome: Outcome | undefined;
  /** The payload as it is sent; absent for an orphan. */
  readonly payload: JsonObject | undefined;
  /** Whether the payload matches the planned payload in the ledger. */
  readonly matchesPlan: boolean;
  readonly answer: PlatformAnswer | undefined;
}

/**
 * Traces every measure from the source cells to the platform. An amount that cannot be read, or that is not the same at
 * every stage, becomes a row in the table of differences.
 * @param compared attrs whose values the platform returns
 */
export function createAmountTracer(
  { measures, mapping }: Job,
  differences: ProofTable,
  compared: readonly string[],
): AmountTracer {
  const traces = measures.map((measure) => {
    const withPlatform = compared.includes(formatAttr(measure.attr));
    return { measure, withPlatform, totals: createMeasureTotals(measure, withPlatform), columns: createColumns() };
  });
  let count = 0;
  const writeDifference = async (cells: readonly (string | number | undefined)[]): Promise<void> => {
    count += 1;
    await differences.write([cells]);
  };
  return {
    add: async (one) => {
      for (const { measure, withPlatform, totals, columns } of traces) {
        const { record, payload = {} } = one;
        const mapped = record.orphan ? [] : amountsOf(measure, record.row, payload, mapping);
        for (const { place } of mapped) columns.learn(place);
        for (const amount of [...mapped, ...columns.others(record.row, mapped, cellReader(measure))]) {
          const traced = tracedAmount(amount, one, withPlatform);
          totals.add(columns.isNew(amount.place) ? traced : withoutSource(traced));
          if (isWhole(traced, withPlatform && one.answer?.kind !== "replaced")) continue;
          const { by, source, payload: made, sent, accepted, platform } = traced;
          const values = [by, source, made, sent, accepted, platform];
          const kind = traced.unreadable ? "unreadable" : "amount";
          await writeDifference([kind, ...placeCells(one, amount.place), measure.name, ...values]);
        }
      }
    },
    note: (kind, { key, record, status, source }) =>
      writeDifference([kind, key, record, status, source.file, source.line, ...Array<undefined>(7).fill(undefined)]),
    result: () => ({ measures: traces.map(({ totals }) => totals.proof()), differences: count }),
  };
}

/**
 * Returns the amount at each stage. A payload that differs from the planned payload does not prove which amounts were
 * sent.
 */
function tracedAmount(
  { by, source, payload, path, unreadable }: Amount,
  { outcome, matchesPlan, answer }: MeasuredRecord,
  withPlatform: boolean,
): TracedAmount {
  const isOnPlatform = outcome !== undefined && ON_PLATFORM.has(outcome.status) && !isUncorrected(outcome);
  const wasSent = isOnPlatform || (outcome?.attempts ?? 0) > 0;
  const stages = {
    source,
    payload,
    sent: wasSent && matchesPlan ? payload : undefined,
    accepted: isOnPlatform && matchesPlan ? payload : undefined,
    platform: withPlatform ? answer?.values.get(formatAttr(path)) : undefined,
  };
  return { unreadable, ...definedMembers({ by, ...stages }) };
}

/** Whether the row is the uncorrected version of a record whose corrected version is on the platform. */
function isUncorrected({ problems }: Outcome): boolean {
  return problems.some(({ code }) => code === "corrected_since");
}

/** Removes the source amount of a cell that has already been counted, so that the sum includes the cell only once. */
function withoutSource({ source: _source, ...others }: TracedAmount): TracedAmount {
  return others;
}

/** Returns the cells for a place: key, record, status, file and line. */
function placeCells(
  { record, outcome }: MeasuredRecord,
  place: Place | undefined,
): readonly (string | number | undefined)[] {
  const status = outcome?.status ?? "left out";
  const { file, line } = place ?? { file: record.row.table.file, line: record.row.line };
  return [outcome?.key, record.number, record.orphan ? "orphan" : status, file, line];
}

interface MeasuredColumns {
  /** Returns true, except for a CSV cell that was passed in an earlier call. */
  readonly isNew: (place: Place | undefined) => boolean;
  readonly learn: (place: Place | undefined) => void;
  /**
   * Returns the cells of the measured columns that have no amount in the payload, such as cells of orphans and of
   * unmapped rows.
   */
  readonly others: (row: Row, mapped: readonly Amount[], read: (cell: string) => string | undefined) => Amount[];
}

/** Creates an empty set of the columns, by file, that contain amounts of a measure. */
function createColumns(): MeasuredColumns {
  const byFile = new Map<string, Set<number>>();
  const seen = new Map<string, NumberSet>();
  return {
    isNew: (place) => {
      if (place?.columnNumber === undefined) return true;
      const column = `${place.file}\n${place.columnNumber}`;
      const marks = seen.get(column) ?? createNumberSet();
      seen.set(column, marks);
      return marks.add(place.line);
    },
    learn: (place) => {
      if (place?.columnNumber === undefined) return;
      byFile.set(place.file, (byFile.get(place.file) ?? new Set()).add(place.columnNumber));
    },
    others: (root, mapped, read) => {
      const used = new Set(mapped.map(({ place }) => place && cellName(place.file, place.line, place.columnNumber)));
      const found: Amount[] = [];
      for (const { row } of rowsOf("", root)) {
        if (!isCsvRow(row)) continue;
        const { file } = row.table;
        for (const columnNumber of byFile.get(file) ?? []) {
          const cell = row.cells[columnNumber - 1] ?? "";
          if (cell.trim() === "" || used.has(cellName(file, row.line, columnNumber))) continue;
          const source = read(cell);
          const place = { file, line: row.line, columnNumber };
          found.push({ path: [], place, unreadable: source === undefined, ...(source !== undefined && { source }) });
        }
      }
      return found;
    },
  };
}

function cellName(file: string, line: number, columnNumber: number | undefined): string {
  return `${file}\n${line}\n${columnNumber ?? ""}`;
}
