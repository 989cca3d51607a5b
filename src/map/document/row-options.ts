import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { numberRank } from "../../json/number-rank.ts";
import { type JsonObject, type JsonValue, isJsonObject } from "../../json/json-value.ts";
import type { OrderedCells, RowChoice, RowOrder } from "../../model/source-spec.ts";
import { type PatternTime, readDatePattern } from "../leaf/date-pattern.ts";
import { readPivot } from "../leaf/leaf-options.ts";
import { type Issues, didYouMean, refuseUnknown, scalarText } from "./mapping-issues.ts";

export interface JoinColumns {
  /** The column of this source. */
  readonly on: string;
  /** The column of the parent; absent if rows are joined on the parent's key. */
  readonly parentKey?: string;
}

/** Reads `on: ACCOUNT_REF` or, with the column of the parent, `on: { CUST_ID: CUSTOMER }`. */
export function readJoinColumns(value: JsonValue | undefined, path: AttrPath, issues: Issues): JoinColumns | undefined {
  if (value === undefined) return undefined;
  if (isColumn(value)) return { on: value };
  const [pair, ...more] = isJsonObject(value) ? Object.entries(value) : [];
  if (pair !== undefined && more.length === 0 && isColumn(pair[1])) return { on: pair[0], parentKey: pair[1] };
  const hint =
    "write on: CUST_ID, or on: { CUST_ID: CUSTOMER } with the column of this source and the column of its parent";
  const fact = more.length > 0 ? "must have exactly one pair of columns" : "must be a column";
  return issues.add(path, fact, hint);
}

/**
 * Reads `orderBy: SEQ` or, with the type of the cells, `{ column: SEQ, as: number }` or `{ column: SINCE, date:
 * dd/MM/yyyy }`.
 */
export function readRowOrder(value: JsonValue | undefined, path: AttrPath, issues: Issues): RowOrder | undefined {
  if (value === undefined) return undefined;
  if (isColumn(value)) return { column: value };
  if (!isJsonObject(value)) {
    const hint = `write its name, or also state the type of its cells: ${ORDER_EXAMPLE}`;
    return issues.add(path, "must be a column", hint);
  }
  refuseUnknown(value, ["column", "as", "date", "pivot"], path, issues);
  const { column } = value;
  if (!isColumn(column)) {
    return issues.add([...path, "column"], "must be a column", `write, for example, ${ORDER_EXAMPLE}`);
  }
  const cells = readCells(value, path, issues);
  return { column, ...definedMembers({ cells }) };
}

const ORDER_EXAMPLE = "{ column: SEQ, as: number }, or { column: SINCE, date: dd/MM/yyyy }";

function readCells({ as, date, pivot }: JsonObject, path: AttrPath, issues: Issues): OrderedCells | undefined {
  if (as !== undefined && date !== undefined) {
    return issues.add(path, "`as` and `date` cannot be used together");
  }
  const pivotPath = [...path, "pivot"];
  const lastYear = readPivot(pivot, pivotPath, issues);
  if (date !== undefined) return readDates(date, { lastYear, path: [...path, "date"], pivotPath }, issues);
  if (pivot !== undefined) issues.add(pivotPath, "has no effect without `date`");
  if (as === undefined) return undefined;
  if (as === "number") return NUMBERS;
  if (as === "text") return TEXTS;
  const hint =
    as === "date" ? 'write its pattern: date: "dd/MM/yyyy"' : didYouMean(scalarText(as) ?? "", ["number", "text"]);
  return issues.add([...path, "as"], "must be `number` or `text`", hint);
}

const NUMBERS: OrderedCells = { wanted: "a number", rank: numberRank };

const TEXTS: OrderedCells = { wanted: "text", rank: (text) => (text === "" ? undefined : text) };

interface DateOptions {
  /** The highest two-digit year that is read as 20yy. */
  readonly lastYear: number | undefined;
  readonly path: AttrPath;
  readonly pivotPath: AttrPath;
}

function readDates(
  written: JsonValue,
  { lastYear, path, pivotPath }: DateOptions,
  issues: Issues,
): OrderedCells | undefined {
  if (typeof written !== "string") {
    return issues.add(path, "must be a pattern, such as dd/MM/yyyy");
  }
  const pattern = readDatePattern(written, path, issues, lastYear);
  if (lastYear !== undefined && pattern?.hasShortYear === false)
    issues.add(pivotPath, "has no effect without yy in the pattern");
  return (
    pattern && {
      wanted: `a valid date, written as ${written}`,
      rank: (text) => {
        const time = pattern.read(text);
        return time && moment(time);
      },
    }
  );
}

/**
 * Returns the time in milliseconds since 1970. `Date.UTC` reads the years 0 to 99 as 1900 to 1999, so the year is
 * shifted by 400.
 */
function moment({ year, month, day, hour, minute, second, millisecond = 0, offset = 0 }: PatternTime): number {
  return Date.UTC(year + 400, month - 1, day, hour, minute - offset, second, millisecond) - MS_OF_400_YEARS;
}

const MS_OF_400_YEARS = 146_097 * 86_400_000;

/**
 * Reads `pick: last`, `pick: last by CHANGED`, or `pick: { last: CHANGED, per: MPAN }`, with CHANGED in any notation of
 * `orderBy`.
 */
export function readRowChoice(value: JsonValue | undefined, path: AttrPath, issues: Issues): RowChoice | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return readChoiceText(value, path, issues);
  if (!isJsonObject(value)) {
    return issues.add(path, CHOICE_FAULT, CHOICE_HINT);
  }
  refuseUnknown(value, ["first", "last", "per"], path, issues);
  const { first, last, per } = value;
  if ((first === undefined) === (last === undefined)) issues.add(path, CHOICE_FAULT, CHOICE_HINT);
  if (per !== undefined && !isColumn(per)) issues.add([...path, "per"], "must be a column");
  const take = first === undefined ? "last" : "first";
  const by = readRowOrder(first ?? last, [...path, take], issues);
  return { take, ...definedMembers({ by, per: isColumn(per) ? per : undefined }) };
}

const CHOICE_FAULT = "must state which row to use";
const CHOICE_HINT = "write first, last, last by <column>, or { last: <column>, per: <column> }";

function readChoiceText(text: string, path: AttrPath, issues: Issues): RowChoice | undefined {
  const [, take, column] = /^\s*(first|last)(?:\s+by\s+(\S.*?))?\s*$/.exec(text) ?? [];
  if (take === "first" || take === "last") return { take, ...(column !== undefined && { by: { column } }) };
  return issues.add(path, CHOICE_FAULT, CHOICE_HINT);
}

function isColumn(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}
