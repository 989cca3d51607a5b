import { type AttrPath, formatAttr } from "../json/attr.ts";
import {
  type DecimalSum,
  createDecimalSum,
  isDecimalText,
  isSameDecimal,
  plainDecimal,
} from "../json/decimal-arithmetic.ts";
import { definedMembers } from "../json/defined-members.ts";
import { parsePointer } from "../json/json-pointer.ts";
import { cellTextOf, type JsonObject, type JsonValue, isJsonArray, valueAt } from "../json/json-value.ts";
import type { Measure } from "../map/document/measures.ts";
import { numberReader } from "../map/leaf/number-text.ts";
import type { Mapping } from "../map/mapping.ts";
import type { Place } from "../model/place.ts";
import type { MeasureProof, MeasureSums } from "../model/proof.ts";
import { type Row, isCsvRow } from "../model/record.ts";
import { plainText } from "../text/plain-text.ts";
import { strip } from "../text/unicode-text.ts";
import { rowsOf } from "./row-counter.ts";

/** One amount at each stage. A stage is absent if the amount did not reach it or could not be read there. */
export interface TracedAmount {
  readonly by?: string;
  readonly source?: string;
  readonly payload?: string;
  readonly sent?: string;
  readonly accepted?: string;
  readonly platform?: string;
  readonly unreadable: boolean;
}

export interface MeasureTotals {
  readonly add: (amount: TracedAmount) => void;
  readonly proof: () => MeasureProof;
}

const STAGES = ["source", "payload", "sent", "accepted", "platform"] as const;
type Stage = (typeof STAGES)[number];

/** Maximum number of groups with a name of their own. All further values of the `by` attr share the group `OTHERS`. */
const MAX_GROUPS = 1000;
const OTHERS = "(others)";

/** @param withPlatform whether amounts were also read back from the platform */
export function createMeasureTotals(measure: Measure, withPlatform: boolean): MeasureTotals {
  const groups = new Map<string | undefined, Readonly<Record<Stage, DecimalSum>>>();
  let unreadable = 0;
  const groupOf = (by: string | undefined): Readonly<Record<Stage, DecimalSum>> => {
    const name = by !== undefined && !groups.has(by) && groups.size >= MAX_GROUPS ? OTHERS : by;
    const known = groups.get(name) ?? newGroup();
    groups.set(name, known);
    return known;
  };
  return {
    add: (amount) => {
      if (amount.unreadable) unreadable += 1;
      const group = groupOf(amount.by);
      for (const stage of STAGES) {
        const text = decimalAt(amount, stage);
        if (text !== undefined) group[stage].add(text);
      }
    },
    proof: () => ({
      name: measure.name,
      attr: formatAttr(measure.attr),
      ...(measure.by !== undefined && { by: formatAttr(measure.by) }),
      unreadable,
      sums: [...groups]
        .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
        .map(([by, group]) => sumsOf(by, group, withPlatform)),
    }),
  };
}

/** Whether the amount is the same at every stage. Ignores the stage `platform` unless `withPlatform` is set. */
export function isWhole(amount: TracedAmount, withPlatform: boolean): boolean {
  const stages = STAGES.filter((stage) => withPlatform || stage !== "platform");
  const { source } = amount;
  return (
    !amount.unreadable &&
    source !== undefined &&
    stages.every((stage) => {
      const text = decimalAt(amount, stage);
      return text !== undefined && isSameDecimal(text, source);
    })
  );
}

/**
 * Returns the amount at a stage as plain decimal text. The platform may return an amount with an exponent or with
 * whitespace around it, as `compareContent` also allows.
 */
function decimalAt(amount: TracedAmount, stage: Stage): string | undefined {
  const text = amount[stage];
  if (text === undefined) return undefined;
  if (stage === "platform") return plainDecimal(strip(text));
  return isDecimalText(text) ? text : undefined;
}

function newGroup(): Readonly<Record<Stage, DecimalSum>> {
  return {
    source: createDecimalSum(),
    payload: createDecimalSum(),
    sent: createDecimalSum(),
    accepted: createDecimalSum(),
    platform: createDecimalSum(),
  };
}

function sumsOf(
  by: string | undefined,
  group: Readonly<Record<Stage, DecimalSum>>,
  withPlatform: boolean,
): MeasureSums {
  return {
    ...(by !== undefined && { by: plainText(by, 120) }),
    source: group.source.text(),
    payloads: group.payload.text(),
    sent: group.sent.text(),
    accepted: group.accepted.text(),
    ...(withPlatform && { platform: group.platform.text() }),
  };
}

/** One amount of a record in its source and in its payload. */
export interface Amount {
  /** Path in the payload, with indexes instead of `*`. */
  readonly path: AttrPath;
  readonly by?: string;
  /** The cell or JSON value from which the mapping reads the amount; absent if there is no such cell or value. */
  readonly place?: Place;
  readonly source?: string;
  readonly payload?: string;
  /** Whether the cell cannot be read as a number, or the payload has a value for this cell that is not a decimal. */
  readonly unreadable: boolean;
}

export function amountsOf(measure: Measure, row: Row, payload: JsonObject, mapping: Mapping): readonly Amount[] {
  const read = cellReader(measure);
  return concretePaths(measure.attr, payload).flatMap((path) => {
    const place = mapping.locate(row, path);
    const cell = emptyAsNone(place && cellAt(row, place));
    const value = textOf(valueAt(payload, path));
    if (cell === undefined && value === undefined) return [];
    const source = cell === undefined ? undefined : read(cell);
    const amount = value !== undefined && isDecimalText(value) ? value : undefined;
    const by = measure.by && textOf(valueAt(payload, filledAs(measure.by, path)));
    const unreadable = source === undefined ? cell !== undefined : value !== undefined && amount === undefined;
    return [{ path, unreadable, ...definedMembers({ by, place, source, payload: amount }) }];
  });
}

function emptyAsNone(cell: string | undefined): string | undefined {
  return cell?.trim() === "" ? undefined : cell;
}

/**
 * Returns a function that reads a cell as a decimal number: with the separators of the measure, or as plain decimal
 * text if the measure has none. The function returns undefined for any other text.
 */
export function cellReader({ separators }: Measure): (cell: string) => string | undefined {
  const read = separators && numberReader(separators);
  return (cell) => {
    const text = cell.trim();
    if (read !== undefined) return read(text);
    return isDecimalText(text) ? text : undefined;
  };
}

/** Returns the text of a cell or of a JSON scalar; undefined if the place is a whole row or is not in these rows. */
function cellAt(root: Row, place: Place): string | undefined {
  if (place.columnNumber === undefined && place.pointer === undefined) return undefined;
  for (const { row } of rowsOf("", root)) {
    if (row.table.file !== place.file) continue;
    if (isCsvRow(row)) {
      if (row.line === place.line && place.columnNumber !== undefined) return row.cells[place.columnNumber - 1];
    } else if (place.pointer?.startsWith(`${row.pointer}/`) === true && row.line === place.line) {
      return textOf(valueAt(row.value, parsePointer(place.pointer.slice(row.pointer.length))));
    }
  }
  return undefined;
}

/** Expands `a.*.b` to `a.0.b`, `a.1.b` and so on, one path per item of the list in the payload. */
function concretePaths(attr: AttrPath, payload: JsonValue, before: AttrPath = []): readonly AttrPath[] {
  const star = attr.indexOf("*");
  if (star < 0) return [[...before, ...attr]];
  const path = [...before, ...attr.slice(0, star)];
  const list = valueAt(payload, path);
  if (list === undefined || !isJsonArray(list)) return [];
  return list.flatMap((_, index) => concretePaths(attr.slice(star + 1), payload, [...path, index]));
}

/** Replaces each `*` of an attr with the indexes of `path`, in order. */
function filledAs(attr: AttrPath, path: AttrPath): AttrPath {
  const indexes = path.filter((part) => typeof part === "number");
  let next = 0;
  return attr.map((part) => (part === "*" ? (indexes[next++] ?? "*") : part));
}

function textOf(value: JsonValue | undefined): string | undefined {
  return value === undefined || value === null || typeof value === "object" ? undefined : cellTextOf(value);
}
