import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { type Draw, times } from "./draw.ts";
import { constantFor, isoDay, type ScalarSpec, timeOfDay } from "./random-scalar.ts";
import { letters } from "./random-texts.ts";

/** Generates the text of a valid cell. */
export type CellMaker = (draw: Draw) => string;

/** The source for which a mapping is generated. */
export interface Scope {
  /** Adds a column and returns its name. */
  readonly addColumn: (cell: CellMaker) => string;
  /** Returns a column that another entry also reads, or a column of another row. */
  readonly sharedColumn: () => string | undefined;
  /** Whether leaves may call functions, which forces every record onto the row path. */
  readonly callsFunctions: boolean;
  /** Adds a lookup file and returns its path. */
  readonly addTable: (table: Readonly<Record<string, string>>) => string;
}

interface Leaf {
  readonly draw: Draw;
  readonly spec: ScalarSpec;
  readonly scope: Scope;
}

/** Generates the mapping entry of a scalar. Adds the columns that the entry reads. */
export function randomLeaf(draw: Draw, spec: ScalarSpec, scope: Scope, required: boolean): JsonValue {
  const leaf = { draw, spec, scope };
  if (draw.chance(0.07)) return constantEntry(leaf);
  const shared = draw.chance(spec.isLoose ? 0.15 : 0.01) ? scope.sharedColumn() : undefined;
  const options: Record<string, JsonValue> = {};
  const written = shared === undefined ? transformed(leaf, options) : () => "";
  changeText(leaf, options);
  const emptiness = emptyCells(leaf, options, required);
  const cell: CellMaker = (from) => (from.chance(emptiness) ? from.pick(["", "", "", " "]) : written(from));
  const from = shared ?? columnsOf(leaf, options, cell);
  if (draw.chance(required ? 0.005 : 0.07)) options["when"] = condition(leaf);
  for (const name of Object.keys(options)) draw.note(`option ${name}`);
  if (Object.keys(options).length === 0 && typeof from === "string" && draw.chance(0.7)) {
    draw.note("option short form");
    return from;
  }
  return { from, ...options };
}

function constantEntry({ draw, spec, scope }: Leaf): JsonValue {
  const isSupplier = spec.isLoose && draw.chance(0.3);
  draw.note(isSupplier ? "option value ${supplier}" : "option value");
  const value = isSupplier ? "${supplier}" : constantFor(spec, draw);
  return draw.chance(0.2) ? { value, when: condition({ draw, scope }) } : { value };
}

export function condition({ draw, scope }: Pick<Leaf, "draw" | "scope">): JsonObject {
  const column = scope.addColumn((from) => from.pick(["Y", "Y", "Y", "N", " Y ", ""]));
  return { column, in: draw.pick<readonly string[]>([["Y"], ["Y", "N"], ["N", ""]]) };
}

type Transform = (leaf: Leaf, options: Record<string, JsonValue>) => CellMaker;

/** Adds a random option that converts the cell, or none. Returns a function that generates valid cells. */
function transformed(leaf: Leaf, options: Record<string, JsonValue>): CellMaker {
  const { draw, spec, scope } = leaf;
  const possible: Transform[] = [(_leaf) => spec.good];
  if (spec.kind === "boolean") possible.push(byWords, byWords);
  if (spec.kind === "date" || (spec.kind === "text" && spec.isLoose)) possible.push(byDate, byDate);
  if (spec.kind === "datetime") possible.push(byDateTime, byDateTime);
  if (["integer", "number", "decimal"].includes(spec.kind)) possible.push(byNumber);
  if (spec.kind === "choice") possible.push(byTable, byTable);
  if (draw.chance(0.25)) possible.push(byTable);
  if (scope.callsFunctions && draw.chance(0.2)) return byFunction(leaf, options);
  return draw.pick(possible)(leaf, options);
}

function byWords({ draw }: Leaf, options: Record<string, JsonValue>): CellMaker {
  const takesEmpty = draw.chance(0.3);
  options["true"] = draw.pick<readonly string[]>([["Y"], ["Y", "1"], ["yes"]]);
  options["false"] = takesEmpty ? ["N", "0", ""] : ["N", "0"];
  const yes = Array.isArray(options["true"]) ? String(options["true"][0]) : "Y";
  return (from) => from.pick([yes, "N", "0", takesEmpty ? "" : "N"]);
}

const DATE_FORMS: Readonly<Record<string, (year: string, month: string, day: string) => string>> = {
  "dd/MM/yyyy": (year, month, day) => `${day}/${month}/${year}`,
  "d/M/yyyy": (year, month, day) => `${Number(day)}/${Number(month)}/${year}`,
  yyyyMMdd: (year, month, day) => `${year}${month}${day}`,
  "dd.MM.yy": (year, month, day) => `${day}.${month}.${year.slice(2)}`,
  "yyyy-MM-dd": (year, month, day) => `${year}-${month}-${day}`,
};

function dateText(from: Draw, pattern: string): string {
  const [year = "", month = "", day = ""] = isoDay(from).split("-");
  return DATE_FORMS[pattern]?.(year, month, day) ?? "";
}

function byDate({ draw }: Leaf, options: Record<string, JsonValue>): CellMaker {
  const first = draw.pick(Object.keys(DATE_FORMS));
  const patterns = draw.chance(0.4) ? [...new Set([first, draw.pick(Object.keys(DATE_FORMS))])] : [first];
  options["date"] = patterns.length === 1 && draw.chance(0.7) ? first : patterns;
  if (patterns.includes("dd.MM.yy") && draw.chance(0.5)) options["pivot"] = draw.pick([0, 30, 99]);
  return (from) => dateText(from, from.pick(patterns));
}

function byDateTime({ draw }: Leaf, options: Record<string, JsonValue>): CellMaker {
  if (draw.chance(0.4)) {
    options["datetime"] = "dd/MM/yyyy HH:mm XXX";
    return (from) => `${dateText(from, "dd/MM/yyyy")} ${timeOfDay(from)} ${from.pick(["Z", "+01:00", "-03:30"])}`;
  }
  options["datetime"] = draw.pick<JsonValue>(["yyyyMMdd HH:mm", ["yyyyMMdd HH:mm", "dd/MM/yyyy HH:mm"]]);
  options["zone"] = draw.pick(["Europe/London", "UTC", "Australia/Sydney"]);
  return (from) => `${dateText(from, "yyyyMMdd")} ${timeOfDay(from)}`;
}

function byNumber({ draw, spec }: Leaf, options: Record<string, JsonValue>): CellMaker {
  const [decimal, group] = draw.pick([
    [",", "."],
    [",", " "],
    [".", ","],
    [".", undefined],
    [",", undefined],
  ] as const);
  options["number"] = {
    ...(decimal === "." && draw.chance(0.5) ? {} : { decimal }),
    ...(group !== undefined && { group }),
  };
  return (from) => {
    const [whole = "", fraction] = spec.good(from).split(".");
    const grouped = group !== undefined && from.chance(0.5) ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group) : whole;
    return `${from.chance(0.1) ? "0" : ""}${grouped}${fraction === undefined ? "" : `${decimal}${fraction}`}`.replace(
      /^0-/,
      "-",
    );
  };
}

function byTable({ draw, spec, scope }: Leaf, options: Record<string, JsonValue>): CellMaker {
  const codes = times(draw.between(1, 4), (at) => `${draw.pick(["c", "C", "x ", "ü"])}${at}`);
  const table = Object.fromEntries(
    codes.map((code): [string, string | number | boolean] => [code, draw.chance(0.1) ? "" : constantFor(spec, draw)]),
  );
  if (draw.chance(0.2)) table[""] = constantFor(spec, draw);
  const texts = Object.fromEntries(Object.entries(table).map(([code, value]) => [code, String(value)]));
  const inFile =
    draw.chance(0.2) && table[""] === undefined && !Object.values(texts).some((text) => /[",\r\n]/.test(text));
  if (inFile) draw.note("lookup in a file");
  options["lookup"] = inFile ? scope.addTable(texts) : table;
  const otherwise = draw.pick([undefined, undefined, "keep", "empty", "error"]);
  if (otherwise !== undefined) options["otherwise"] = otherwise;
  const others = otherwise === "keep" ? [spec.good(draw)] : otherwise === "empty" ? ["zzz"] : [];
  return (from) => from.pick([...codes, ...others]);
}

function byFunction({ draw, spec }: Leaf, options: Record<string, JsonValue>): CellMaker {
  options["call"] = spec.isLoose ? draw.pick(["same", "shout", "orElse"]) : "same";
  return spec.good;
}

/** Adds random options that change the text before conversion. */
function changeText({ draw, spec }: Leaf, options: Record<string, JsonValue>): void {
  const isFree = spec.isLoose && Object.keys(options).length === 0;
  if (draw.chance(isFree ? 0.3 : 0.01)) options[draw.pick(["upper", "lower"])] = true;
  if (draw.chance(0.05)) options["trim"] = draw.chance(0.3);
  if (draw.chance(isFree ? 0.2 : 0.03)) {
    options["replace"] = draw.pick<JsonValue>([
      { "~": "" },
      { "~": "", q: "Q" },
      [{ from: "&amp;", to: "&" }],
      { pattern: "^~(\\d)", to: "$1" },
      [
        ["  ", " "],
        ["~", "-"],
      ],
    ]);
  }
  if (spec.kind === "text" && draw.chance(0.08)) options["keepEmpty"] = true;
}

function definesEmptyCells({ lookup = null, false: no, keepEmpty }: Record<string, JsonValue>): boolean {
  const isInTable = isJsonObject(lookup) && Object.hasOwn(lookup, "");
  return isInTable || keepEmpty === true || (Array.isArray(no) && no.includes(""));
}

/** Sometimes adds a default for empty cells. Returns the share of cells to leave empty. */
function emptyCells({ draw, spec }: Leaf, options: Record<string, JsonValue>, required: boolean): number {
  const share = spec.kind === "text" ? 0.3 : 0.15;
  if (definesEmptyCells(options) || !draw.chance(share)) return required ? 0.01 : 0.15;
  options["default"] = spec.isLoose && draw.chance(0.3) ? "${supplier}" : constantFor(spec, draw);
  if (options["default"] === "${supplier}") draw.note("default ${supplier}");
  return 0.3;
}

/** Adds one column, or two columns with or without `join`. Returns the value of `from`. */
function columnsOf({ draw, spec, scope }: Leaf, options: Record<string, JsonValue>, cell: CellMaker): JsonValue {
  if (spec.isLoose && draw.chance(0.1)) {
    options["join"] = draw.pick([" ", "", "/", ", "]);
    return [scope.addColumn(cell), scope.addColumn((from) => letters(from, 0, 4))];
  }
  if (!draw.chance(0.06)) return scope.addColumn(cell);
  draw.note("option from as a list");
  return [scope.addColumn((from) => (from.chance(0.6) ? "" : cell(from))), scope.addColumn(cell)];
}

export const FUNCTIONS = `
export const same = (value) => value;
export const shout = (value) => value.toUpperCase();
export const orElse = (value, row) => value === "" ? Object.keys(row)[0] : value;
`;
