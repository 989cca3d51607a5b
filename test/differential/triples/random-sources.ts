import { definedMembers } from "../../../src/json/defined-members.ts";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { type Draw, times } from "./draw.ts";
import type { CellMaker } from "./random-leaf.ts";
import { oddText } from "./random-texts.ts";

/** A source under construction, with the cells of its columns. */
export interface SourceDraft {
  readonly name: string;
  readonly prefix: string;
  readonly parent: SourceDraft | undefined;
  readonly children: SourceDraft[];
  readonly columns: { readonly name: string; readonly cell: CellMaker }[];
  readonly options: JsonObject;
  /** Whether each parent row has at most one row of this source. */
  readonly isSingle: boolean;
  readonly files: readonly string[];
}

interface Cell {
  readonly text: string;
  /** Whether the cell is quoted even if CSV does not require it. */
  readonly isQuoted: boolean;
}

/** A file of rows, before it is written as CSV or NDJSON. */
export interface TripleFile {
  readonly name: string;
  readonly columns: readonly string[];
  /** A row of cells, or a raw line, which may be malformed. */
  readonly rows: readonly (readonly Cell[] | string)[];
  readonly delimiter: string;
  readonly end: string;
  readonly isEnded: boolean;
  readonly hasMark: boolean;
}

export function newRoot(draw: Draw): SourceDraft {
  const files = draw.chance(0.15) ? ["things.csv", "more.csv"] : ["things.csv"];
  if (files.length > 1) draw.note("several files");
  return {
    name: "things",
    prefix: "T",
    parent: undefined,
    children: [],
    columns: [],
    options: { key: "REF" },
    isSingle: false,
    files,
  };
}

/** Adds a child source. Some of its random options force a row-by-row join. */
export function addChild(draw: Draw, parent: SourceDraft, depth: number): void {
  const name = `${depth === 0 ? "child" : parent.name}${parent.children.length + 1}`;
  const isShared = depth === 0 && draw.chance(0.1);
  const hasChildren = depth === 0 && draw.chance(0.12);
  const on: JsonObject = isShared ? { on: { OWN: "SHARED" } } : { on: "PARENT" };
  const options: JsonObject = { ...on, ...rowOptions(draw), ...(isShared || hasChildren ? { key: "OWN" } : {}) };
  for (const option of Object.keys(options)) draw.note(`source ${option}`);
  if (isShared) draw.note("source shared by several parents");
  const child: SourceDraft = {
    name,
    prefix: `${name.toUpperCase()}_`,
    parent,
    children: [],
    columns: [],
    options,
    isSingle: isShared || typeof options["pick"] === "string",
    files: [`${name}.csv`],
  };
  parent.children.push(child);
  if (hasChildren) addChild(draw, child, depth + 1);
}

/** Generates the options that determine which child rows of a parent row are used, and their order. */
function rowOptions(draw: Draw): JsonObject {
  const pick = draw.chance(0.12) ? draw.pick(PICKS) : undefined;
  const distinct = draw.chance(0.08) ? true : undefined;
  return definedMembers({ orderBy: draw.pick(ORDERS), pick, distinct });
}

const ORDERS: readonly (JsonValue | undefined)[] = [
  undefined,
  undefined,
  "SEQ",
  { column: "SEQ", as: "number" },
  { column: "SEQ", as: "text" },
];
const PICKS: readonly JsonValue[] = ["first", "last", "last by SEQ", { last: "SEQ", per: "KIND" }];

export function sourceEntries(root: SourceDraft): JsonObject {
  const all = (source: SourceDraft): readonly SourceDraft[] => [source, ...source.children.flatMap(all)];
  return Object.fromEntries(
    all(root).map(({ name, files, parent, options }): [string, JsonValue] => [
      name,
      { files: files.length === 1 ? (files[0] ?? "") : files, ...(parent && { parent: parent.name }), ...options },
    ]),
  );
}

interface Rows {
  readonly draw: Draw;
  readonly count: number;
  /** Whether keys are numeric. */
  readonly isDigits: boolean;
}

/** Generates the files of a source and its descendants. */
export function randomFiles(root: SourceDraft, rows: Rows): readonly TripleFile[] {
  const { draw, count, isDigits } = rows;
  const hasDashes = !isDigits && draw.chance(0.2);
  const keys = times(count, (at) => (hasDashes ? `1-${at + 1}` : String(at + 1)));
  const used = keys.map((key, at) => (at > 0 && draw.chance(0.01) ? (keys[at - 1] ?? key) : key));
  const own = used.map((key) => ({ REF: key, REF2: `2${key}`, SHARED: String(draw.between(1, 30)) }));
  return [
    ...filesOf(root, own, draw),
    ...root.children.flatMap((child) =>
      childFiles(
        child,
        own.map(({ REF }) => REF),
        draw,
      ),
    ),
  ];
}

function childFiles(source: SourceDraft, parents: readonly string[], draw: Draw): readonly TripleFile[] {
  const isShared = typeof source.options["on"] === "object";
  const several = [...new Set(isShared ? times(30, (at) => String(at + 1)) : parents)];
  const belonging = several.flatMap((parent) => times(isShared ? 1 : draw.pick([0, 1, 1, 2, 3]), () => parent));
  const rows = draw.chance(0.5)
    ? belonging
    : belonging.toSorted((one, other) => ((one.at(-1) ?? "") < (other.at(-1) ?? "") ? -1 : 1));
  const own = rows.map((parent, at) => ({
    PARENT: draw.chance(0.004) ? draw.pick(["nobody", ""]) : parent,
    OWN: isShared ? parent : `${source.name}-${at + 1}`,
    SEQ: draw.chance(0.02) ? draw.pick(["", "x"]) : String(draw.pick([1, 2, 3, 10, 20, at])),
    KIND: draw.pick(["a", "b"]),
  }));
  const repeated = own.flatMap((row) => (draw.chance(0.005) ? [row, row] : [row]));
  return [
    ...filesOf(source, repeated, draw),
    ...source.children.flatMap((child) =>
      childFiles(
        child,
        own.map(({ OWN }) => OWN),
        draw,
      ),
    ),
  ];
}

function filesOf(
  source: SourceDraft,
  own: readonly Readonly<Record<string, string>>[],
  draw: Draw,
): readonly TripleFile[] {
  const names = [...Object.keys(own[0] ?? { REF: "" }), ...source.columns.map(({ name }) => name)];
  const [first, second] = source.files;
  if (first === undefined || second === undefined) return [fileOf(source, { name: first ?? "", names, own }, draw)];
  const middle = Math.floor(own.length / 2);
  return [
    fileOf(source, { name: first, names, own: own.slice(0, middle) }, draw),
    fileOf(source, { name: second, names: names.toReversed(), own: own.slice(middle) }, draw),
  ];
}

interface FileDraft {
  readonly name: string;
  readonly names: readonly string[];
  readonly own: readonly Readonly<Record<string, string>>[];
}

function fileOf(source: SourceDraft, { name, names, own }: FileDraft, draw: Draw): TripleFile {
  const quoting = draw.pick([0, 0, 0.05, 1]);
  const invalidShare = draw.pick([0, 0.2, 0.4, 0.4]);
  const isBroken = source.parent === undefined && draw.chance(0.08);
  const rows = own.map((row): TripleFile["rows"][number] => {
    if (isBroken && draw.chance(0.03)) return draw.pick(["", "  ", '""', "1,2", `${"x,".repeat(40)}x`, '"open"x,1']);
    const texts = names.map(
      (column) => row[column] ?? source.columns.find((one) => one.name === column)?.cell(draw) ?? "",
    );
    if (draw.chance(invalidShare)) {
      for (let left = draw.between(1, 2); left > 0; left -= 1) {
        const at = draw.between(draw.chance(0.05) ? 0 : Math.min(1, texts.length - 1), texts.length - 1);
        if (!["PARENT", "OWN"].includes(names[at] ?? "")) texts[at] = oddText(draw, texts[at] ?? "");
      }
    }
    return texts.map((text) => ({ text, isQuoted: draw.chance(quoting) }));
  });
  const end = draw.pick(["\n", "\n", "\r\n"]);
  return {
    name,
    columns: names,
    rows,
    delimiter: draw.pick([",", ",", ";", "\t", "|"]),
    end,
    isEnded: draw.chance(0.8),
    hasMark: draw.chance(0.1),
  };
}

export function csvOf({ columns, rows, delimiter, end, isEnded, hasMark }: TripleFile): string {
  const written = ({ text, isQuoted }: Cell): string =>
    isQuoted || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = rows.map((row) => (typeof row === "string" ? row : row.map(written).join(delimiter)));
  return (hasMark ? "\ufeff" : "") + [columns.join(delimiter), ...lines].join(end) + (isEnded ? end : "");
}

export function ndjsonOf({ columns, rows }: TripleFile): string {
  const objects = rows.flatMap((row) =>
    typeof row === "string" ? [] : [Object.fromEntries(columns.map((name, at) => [name, row[at]?.text ?? ""]))],
  );
  return objects.map((object) => `${JSON.stringify(object)}\n`).join("");
}
