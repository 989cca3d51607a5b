import { attrPattern, childAttr, parseAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { type JsonValue, valueAt } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { suggest } from "../../text/suggestion.ts";
import type { Operation, Step } from "../operations/operation.ts";
import { parametersType } from "../operations/request-parameters.ts";
import { stepFieldsType } from "../operations/step-fields.ts";
import type { FieldType, ObjectType, UnionType } from "../types/field-type.ts";
import { describeConstraints, describeType } from "./describe-type.ts";
import { descriptionText } from "./description-text.ts";

/** One line of an operation's field table, for display. */
export interface FieldRow {
  /** `customers.*.mobile`: `*` matches every index of a list, or every name of an object that accepts any name. */
  readonly attr: string;
  readonly type: string;
  /** Whether the field is required when its parent object is present. */
  readonly required: boolean;
  /** Constraints, such as `at most 30 characters` or `one of A, B`. */
  readonly rules: readonly string[];
  /** Plain text, on one line. */
  readonly description?: string;
  readonly deprecated: boolean;
  readonly default?: JsonValue;
  /** The codes of the validators that the operator publishes for the field. */
  readonly codes: readonly string[];
  /** Set for the fields of an alternative: `method is DIRECT_DEBIT`, or `option 2`. */
  readonly when?: string;
}

/**
 * Returns every field of the operation's payload in document order, parents before children. Returns no fields for an
 * operation without a body.
 */
export function fieldTable({ body }: Operation): readonly FieldRow[] {
  return rowsOf(body);
}

function rowsOf(type: FieldType | undefined): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  if (type !== undefined) addFields(rows, type, { attr: "", inside: [] });
  return rows;
}

/** Returns the parameters of the operation's requests, under the names that a mapping uses: `parameters.companyId`. */
export function parameterTable(operation: Operation): readonly FieldRow[] {
  return rowsOf(parametersType(operation)).slice(1);
}

/** The fields that a mapping can add to one step of a workflow. */
export interface StepTable {
  readonly step: string;
  readonly fields: readonly FieldRow[];
}

/**
 * Returns, for each step, the fields of its body that a mapping can set because the contract does not set them. Omits
 * steps without such fields.
 */
export function stepTables({ steps }: Operation): readonly StepTable[] {
  return steps.flatMap((step) => {
    const fields = rowsOf(stepFieldsType(step)).filter(({ attr }) => !isSet(step, attr));
    return fields.length === 0 ? [] : [{ step: step.name, fields }];
  });
}

function isSet({ body = {} }: Step, attr: string): boolean {
  const [name = "", ...rest] = parseAttr(attr);
  const source = body[name];
  if (source === undefined || "attr" in source) return source !== undefined;
  return valueAt(source.value, rest) !== undefined;
}

interface TablePosition {
  readonly attr: string;
  readonly when?: string;
  /** The enclosing types. A type that contains itself is not expanded again. */
  readonly inside: readonly FieldType[];
}

function addFields(rows: FieldRow[], type: FieldType, position: TablePosition): void {
  if (isRepeated(type, position)) return;
  const inner = { ...position, inside: [...position.inside, type] };
  if (type.kind === "object") addProperties(rows, type, inner);
  if (type.kind === "list") addItems(rows, type.items, inner);
  if (type.kind === "union") addOptions(rows, type, inner);
}

function addProperties(rows: FieldRow[], type: ObjectType, position: TablePosition): void {
  for (const property of type.properties.values()) {
    addField(rows, property.type, { ...position, attr: childAttr(position.attr, property.name) }, property);
  }
  if (type.additional !== "closed") {
    const inner = { ...position, attr: childAttr(position.attr, "*") };
    addField(rows, type.additional, inner, { required: false, readOnly: false });
  }
}

/**
 * Adds the items of a list. Scalar items have a row (`tags.*`). Items that are objects, lists or alternatives have rows
 * only for their fields.
 */
function addItems(rows: FieldRow[], items: FieldType, position: TablePosition): void {
  const inner = { ...position, attr: childAttr(position.attr, "*") };
  if (items.kind === "object" || items.kind === "union" || items.kind === "list") addFields(rows, items, inner);
  else addField(rows, items, inner, { required: true, readOnly: false });
}

function addOptions(rows: FieldRow[], type: UnionType, position: TablePosition): void {
  for (const [index, option] of type.options.entries()) {
    const when = [position.when, conditionOf(type, option, index)].filter((part) => part !== undefined).join(", ");
    addFields(rows, option, { ...position, when });
  }
}

function conditionOf({ discriminator, setting }: UnionType, option: FieldType, index: number): string {
  const by = discriminator ?? setting;
  const values = [...(by?.mapping ?? [])].filter(([, type]) => type === option).map(([value]) => value);
  return by === undefined || values.length === 0 ? `option ${index + 1}` : `${by.property} is ${values.join(" or ")}`;
}

function addField(
  rows: FieldRow[],
  type: FieldType,
  position: TablePosition,
  { required, readOnly }: { readonly required: boolean; readonly readOnly: boolean },
): void {
  const again = isRepeated(type, position) ? ["the same fields again, at any depth"] : [];
  const onlyInReplies = readOnly ? ["only in replies"] : [];
  rows.push({
    attr: position.attr,
    type: describeType(type),
    required,
    rules: [...describeConstraints(type), ...onlyInReplies, ...again],
    deprecated: type.deprecated,
    codes: [...new Set(type.validators.flatMap((validator) => validator.codes))],
    ...definedMembers({ description: descriptionText(type.description), default: type.default, when: position.when }),
  });
  addFields(rows, type, position);
}

function isRepeated(type: FieldType, { inside }: TablePosition): boolean {
  return inside.includes(type) || (type.kind === "list" && inside.includes(type.items));
}

/** Conditions on the fields of an operation. A selected field meets all of them. */
export interface FieldFilter {
  /** Only fields that must be present whenever `under` is present, or in every payload if `under` is not set. */
  readonly required?: boolean | undefined;
  /** Only this attr and its descendants. An item number matches all items: `customers.0` means `customers.*`. */
  readonly under?: string | undefined;
  /** Only fields with this text in their attr, type, rules, codes, description or condition (`when`); ignores case. */
  readonly search?: string | undefined;
}

export function isFiltered({ required, under, search }: FieldFilter): boolean {
  return required === true || under !== undefined || search !== undefined;
}

export function filterFields(rows: readonly FieldRow[], filter: FieldFilter): readonly FieldRow[] {
  const under = filter.under === undefined ? "" : attrPattern(filter.under);
  const words = filter.search?.toLowerCase();
  const isRequired = filter.required === true ? requiredWithin(rows, under) : () => true;
  return rows.filter((row) => isWithin(row.attr, under) && isRequired(row) && (words === undefined || has(row, words)));
}

/** @throws Failure `usage` if no row has the attr or a descendant of it */
export function requireAttr(rows: readonly FieldRow[], attr: string): void {
  const wanted = attrPattern(attr);
  if (rows.some((row) => isWithin(row.attr, wanted))) return;
  throw new Failure("usage", `the operation has no field "${attr}"`, { hint: hintFor(wanted, rows) });
}

/**
 * Suggests the attr with the most similar last segment, because users often omit parents. If there is none, suggests
 * the most similar attr.
 */
function hintFor(wanted: string, rows: readonly FieldRow[]): string {
  const attrs = [...new Set(rows.map((row) => row.attr))];
  const byName = new Map(attrs.toReversed().map((attr) => [lastSegment(attr), attr]));
  const name = suggest(lastSegment(wanted), byName.keys());
  const near = (name === undefined ? undefined : byName.get(name)) ?? suggest(wanted, attrs);
  return near === undefined ? "search for part of its name with --search" : `did you mean "${near}"?`;
}

function lastSegment(attr: string): string {
  return attr.slice(attr.lastIndexOf(".") + 1);
}

function isWithin(attr: string, under: string): boolean {
  return under === "" || attr === under || attr.startsWith(`${under}.`);
}

/**
 * Returns a predicate for the fields that must be present whenever `under` is present. Excludes a field inside an
 * optional parent, even if that parent requires it.
 */
function requiredWithin(rows: readonly FieldRow[], under: string): (row: FieldRow) => boolean {
  const optional = new Set(rows.flatMap(({ attr, required }) => (required ? [] : [attr])));
  for (const { attr, required } of rows) if (required) optional.delete(attr);
  return ({ attr, required }) =>
    required && ancestorsOf(attr).every((ancestor) => isWithin(under, ancestor) || !optional.has(ancestor));
}

/** Returns the ancestors of an attr: `a` and `a.*` for `a.*.b`. */
function ancestorsOf(attr: string): readonly string[] {
  const names = attr.split(".");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("."));
}

function has({ attr, type, rules, description = "", codes, when = "" }: FieldRow, words: string): boolean {
  return [attr, type, description, when, ...rules, ...codes].some((text) => text.toLowerCase().includes(words));
}
