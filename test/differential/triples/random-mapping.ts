import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { type Draw, times } from "./draw.ts";
import type { FieldSpec, ListSpec, ObjectSpec, RandomContract, Spec, VariantsSpec } from "./random-contract.ts";
import { condition, randomLeaf, type Scope } from "./random-leaf.ts";
import { randomText, type ScalarSpec } from "./random-scalar.ts";
import { addChild, newRoot, type SourceDraft, sourceEntries } from "./random-sources.ts";

export interface RandomMapping {
  readonly document: JsonObject;
  readonly root: SourceDraft;
  /** Lookup files by name. */
  readonly tables: Readonly<Record<string, string>>;
}

interface Drawing {
  readonly draw: Draw;
  readonly tables: Record<string, string>;
  readonly callsFunctions: boolean;
}

export function randomMapping(draw: Draw, { body, key, parameter }: RandomContract): RandomMapping {
  const drawing: Drawing = { draw, tables: {}, callsFunctions: draw.chance(0.08) };
  const root = newRoot(draw);
  const children = draw.chance(0.45) ? draw.between(1, 2) : 0;
  for (let at = 0; at < children; at += 1) addChild(draw, root, 0);
  const payload: Record<string, JsonValue> = { ref: keyEntry(draw, key) };
  for (const field of body.fields) if (field.name !== "ref") mapField(payload, field, root, drawing);
  if (body.isOpen && draw.chance(0.5))
    payload["undocumented"] = randomLeaf(draw, randomText(draw), scopeOf(root, drawing), false);
  const entries = Object.entries(payload);
  const shuffled = draw.chance(0.5) ? entries.toReversed() : entries;
  const document: JsonObject = {
    operation: "import-thing",
    ...(draw.chance(0.2) && { key: "ref" }),
    sources: sourceEntries(root),
    ...(parameter && { parameters: { mode: { value: "strict" } } }),
    functions: "functions.mjs",
    payload: Object.fromEntries(shuffled),
  };
  const usesFunctions = JSON.stringify(payload).includes('"call"');
  const { functions: _unused, ...plain } = document;
  return { document: usesFunctions ? document : plain, root, tables: drawing.tables };
}

function keyEntry(draw: Draw, key: ScalarSpec): JsonValue {
  const forms: readonly JsonValue[] =
    key.kind === "integer"
      ? ["REF", { from: "REF", number: {} }]
      : [
          "REF",
          "REF",
          "REF",
          { from: "REF" },
          { from: "REF", upper: true },
          { from: "REF", replace: { "-": "" } },
          { from: ["REF", "REF2"] },
          { from: "REF", trim: false },
          { from: "REF", trim: false, replace: { "-": "" } },
          { from: "REF", default: "NOREF" },
          { from: ["REF", "REF2"], join: "-" },
        ];
  return draw.pick(forms);
}

function scopeOf(source: SourceDraft, { tables, callsFunctions }: Drawing): Scope {
  return {
    callsFunctions,
    addColumn(cell) {
      const name = `${source.prefix}${source.columns.length}`;
      source.columns.push({ name, cell });
      return name;
    },
    sharedColumn: () => sharedColumn(source),
    addTable(table) {
      const name = `table${Object.keys(tables).length}.csv`;
      tables[name] = ["code,value", ...Object.entries(table).map(([code, value]) => `${code},${value}`), ""].join("\n");
      return name;
    },
  };
}

/** Returns a column of the parent row, of a child source with one row, or of the row itself. */
function sharedColumn(source: SourceDraft): string | undefined {
  const own = source.columns.at(-1)?.name;
  const above = source.parent?.columns.at(-1)?.name;
  const single = source.children.find(({ isSingle }) => isSingle);
  const below = single?.columns.at(-1)?.name;
  if (single !== undefined && below !== undefined) return `${single.name}.${below}`;
  return above === undefined ? own : `parent.${above}`;
}

/** Sometimes omits an optional field, and rarely a required field. */
function mapField(payload: Record<string, JsonValue>, field: FieldSpec, source: SourceDraft, drawing: Drawing): void {
  if (drawing.draw.chance(field.required ? 0.005 : 0.12)) return;
  payload[field.name] = entryFor(field.spec, field.required, source, drawing);
}

function entryFor(spec: Spec, required: boolean, source: SourceDraft, drawing: Drawing): JsonValue {
  if (spec.kind === "object") return objectEntry(spec, source, drawing);
  if (spec.kind === "list") return listEntry(spec, required, source, drawing);
  if (spec.kind === "variants") return variantsEntry(spec, source, drawing);
  return randomLeaf(drawing.draw, spec, scopeOf(source, drawing), required);
}

function objectEntry({ fields }: ObjectSpec, source: SourceDraft, drawing: Drawing): JsonObject {
  const { draw } = drawing;
  const payload: Record<string, JsonValue> = {};
  const constants = draw.chance(0.1);
  for (const field of fields) {
    const { spec } = field;
    const isScalar = spec.kind !== "object" && spec.kind !== "list" && spec.kind !== "variants";
    if (constants && isScalar && draw.chance(0.6)) payload[field.name] = { value: constantOf(spec, draw) };
    else mapField(payload, field, source, drawing);
  }
  return payload;
}

function constantOf(spec: ScalarSpec, draw: Draw): JsonValue {
  const text = spec.good(draw);
  if (spec.kind === "integer" || spec.kind === "number") return Number(text);
  return spec.kind === "boolean" ? text.toLowerCase() === "true" : text;
}

function listEntry(list: ListSpec, required: boolean, source: SourceDraft, drawing: Drawing): JsonValue {
  const { draw } = drawing;
  const { items } = list;
  const child = source.children.length > 0 ? draw.pick(source.children) : undefined;
  const isScalar = items.kind !== "object" && items.kind !== "list" && items.kind !== "variants";
  if (child !== undefined && draw.chance(0.75)) return eachEntry(list, child, source, drawing);
  if (isScalar && draw.chance(0.6)) return splitEntry(items, required, source, drawing);
  if (draw.chance(0.03)) return [];
  const several = draw.between(1, 3);
  return times(several, () => {
    const form = draw.between(0, 9);
    if (form === 0 && child !== undefined) return eachEntry(list, child, source, drawing);
    const item = entryFor(items, required, source, drawing);
    if (form > 2 || !isListEntrySafe(items)) return item;
    draw.note("list entry with when");
    return { when: condition({ draw, scope: scopeOf(source, drawing) }), item };
  });
}

/**
 * Returns whether an item can be the `item` of a list entry with `when`. A list cannot, nor can an object with a field
 * that is called `each` or `item`.
 */
function isListEntrySafe(items: Spec): boolean {
  const names = items.kind === "object" ? items.fields.map(({ name }) => name) : [];
  return !names.includes("each") && !names.includes("item") && items.kind !== "list";
}

function eachEntry(list: ListSpec, child: SourceDraft, source: SourceDraft, drawing: Drawing): JsonObject {
  const { draw } = drawing;
  draw.note("each");
  const when = draw.chance(0.15) ? condition({ draw, scope: scopeOf(child, drawing) }) : undefined;
  if (when !== undefined) draw.note("each with when");
  if (source.parent !== undefined) draw.note("each in each");
  return { each: child.name, ...(when && { when }), item: entryFor(list.items, false, child, drawing) };
}

function splitEntry(items: ScalarSpec, required: boolean, source: SourceDraft, drawing: Drawing): JsonObject {
  const { draw } = drawing;
  const split = draw.pick([";", "|", " + "]);
  const table: JsonObject =
    items.kind === "choice" && draw.chance(0.4) ? { lookup: { a: items.good(draw), b: items.good(draw) } } : {};
  const isCoded = "lookup" in table;
  draw.note("option split");
  const from = scopeOf(source, drawing).addColumn((cell) => {
    if (!required && cell.chance(0.15)) return "";
    return times(cell.between(1, 3), () => (isCoded ? cell.pick(["a", "b"]) : items.good(cell))).join(
      cell.pick([split, ` ${split} `]),
    );
  });
  return { from, split, ...table };
}

function variantsEntry({ property, options }: VariantsSpec, source: SourceDraft, drawing: Drawing): JsonValue {
  const { draw } = drawing;
  const [first, other] = options;
  if (first === undefined || other === undefined) throw new Error("a union has two options");
  const scope = scopeOf(source, drawing);
  if (property === undefined || draw.chance(0.3)) {
    const { object, tag } = draw.pick([first, other]);
    return { ...objectEntry(object, source, drawing), sort: { value: tag } };
  }
  const column = scope.addColumn((from) => from.pick(["e", "g"]));
  const entry: Record<string, JsonValue> = { sort: { from: column, lookup: { e: first.tag, g: other.tag } } };
  for (const [at, { object }] of options.entries()) {
    for (const field of object.fields) {
      if (Object.hasOwn(entry, field.name)) continue;
      const made = entryFor(field.spec, field.required, source, drawing);
      entry[field.name] =
        field.name === "common" ? made : withCondition(made, field.spec, { column, in: [at === 0 ? "e" : "g"] });
    }
  }
  return entry;
}

/** Adds `when` to a leaf, so that the leaf applies to the rows of one option. Returns other entries unchanged. */
function withCondition(entry: JsonValue, { kind }: Spec, when: JsonObject): JsonValue {
  if (typeof entry === "string") return { from: entry, when };
  const isLeaf = kind !== "object" && kind !== "variants" && isJsonObject(entry) && entry["each"] === undefined;
  return isLeaf ? { ...entry, when } : entry;
}
