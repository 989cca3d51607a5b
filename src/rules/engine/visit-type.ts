import type { Discriminator, FieldType, ObjectType } from "../../contract/types/field-type.ts";
import { acceptedOptions, tagText, untaggedOptions } from "../../contract/types/type-tree.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import type { OptionChooser } from "../../validate/compile-validator.ts";
import type { BrokenRule } from "./compile-rule.ts";
import type { Cursor } from "./expressions/cursor.ts";
import type { FieldNode, FieldTree } from "./possible/field-tree.ts";
import type { Scope } from "./rule-context.ts";

export type Visit = (cursor: Cursor, scope: Scope, add: (broken: BrokenRule) => void) => void;

/**
 * Compiles a visitor for a type at a node of the current payload. Returns undefined if the payload cannot break any
 * rule at that node. If `node` is undefined, the visitor must work at any node.
 */
export type VisitorOf = (type: FieldType, node: FieldNode | undefined) => Visit | undefined;

interface InsideContext {
  readonly node: FieldNode | undefined;
  readonly tree: FieldTree;
  readonly visitorOf: VisitorOf;
  /** Compiles the validator's choice between alternatives. */
  readonly choose: (options: readonly FieldType[]) => OptionChooser;
}

/** Compiles a visitor for the fields, items or options of a type. Returns undefined if none of them has a visitor. */
export function visitInside(type: FieldType, context: InsideContext): Visit | undefined {
  const { node, tree, visitorOf } = context;
  if (type.kind === "object") {
    const fields = [...type.properties.values()].flatMap(({ name, type: of }) => {
      const visit = visitorOf(of, node && tree.field(node, name));
      return visit === undefined ? [] : [{ name, visit }];
    });
    const others = type.additional === "closed" ? undefined : visitorOf(type.additional, undefined);
    const visit = fields.length === 0 ? undefined : fieldsVisit(fields);
    return others === undefined ? visit : othersVisit(type, visit, others);
  }
  if (type.kind === "list") {
    const visit = visitorOf(type.items, node);
    return visit && itemsVisit(visit);
  }
  return type.kind === "union" ? unionVisit(acceptedOptions(type), type.discriminator, context) : undefined;
}

function fieldsVisit(fields: readonly { readonly name: string; readonly visit: Visit }[]): Visit {
  return (cursor, scope, add) => {
    const { value } = cursor;
    if (!isJsonObject(value)) return;
    for (const { name, visit } of fields) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member !== undefined && member !== null) visit({ value: member, parent: cursor, key: name }, scope, add);
    }
  };
}

/** Visits the documented fields, then all other fields. */
function othersVisit({ properties }: ObjectType, visit: Visit | undefined, others: Visit): Visit {
  return (cursor, scope, add) => {
    visit?.(cursor, scope, add);
    for (const [key, value] of Object.entries(isJsonObject(cursor.value) ? cursor.value : {})) {
      if (value !== null && !properties.has(key)) others({ value, parent: cursor, key }, scope, add);
    }
  };
}

function itemsVisit(visit: Visit): Visit {
  return (cursor, scope, add) => {
    if (!isJsonArray(cursor.value)) return;
    cursor.value.forEach((value, index) => {
      if (value !== null) visit({ value, parent: cursor, key: index }, scope, add);
    });
  };
}

/**
 * Compiles a visitor for the option that the discriminator selects or, without a discriminator, for the option that the
 * validator selects.
 */
function unionVisit(
  options: readonly FieldType[],
  discriminator: Discriminator | undefined,
  context: InsideContext,
): Visit {
  const { node, visitorOf } = context;
  if (discriminator !== undefined) {
    const visits = new Map([...discriminator.mapping].map(([tag, type]) => [tag, visitorOf(type, node)]));
    const untagged = firstFitVisit(untaggedOptions(discriminator), context);
    return (cursor, scope, add) => {
      if (!isJsonObject(cursor.value)) return;
      const tag = tagText(cursor.value[discriminator.property]);
      const visit = tag === "null" && !visits.has(tag) ? untagged : visits.get(tag);
      visit?.(cursor, scope, add);
    };
  }
  return firstFitVisit(options, context);
}

/**
 * Validates a value only if several options have its JSON type and field names. If the validator accepts none of them,
 * the first of them applies.
 */
function firstFitVisit(options: readonly FieldType[], { node, visitorOf, choose }: InsideContext): Visit {
  const visits = new Map(options.map((type) => [type, visitorOf(type, node)]));
  let chooser: OptionChooser | undefined;
  return (cursor, scope, add) => {
    const { value } = cursor;
    const [first, second] = options.filter((type) => canBeOfType(value, type));
    if (first === undefined) return;
    if (second !== undefined) chooser ??= choose(options);
    const chosen = (second === undefined ? undefined : chooser?.(value)) ?? first;
    visits.get(chosen)?.(cursor, scope, add);
  };
}

function canBeOfType(value: JsonValue, type: FieldType): boolean {
  if (type.kind === "object") {
    if (!isJsonObject(value)) return type.untyped === true;
    const needed = [...type.properties.values()].every(({ name, required }) => !required || Object.hasOwn(value, name));
    if (type.additional !== "closed" || type.namePatterns !== undefined) return needed;
    return needed && Object.keys(value).every((name) => type.properties.has(name));
  }
  if (type.kind === "union" || type.kind === "any" || type.untyped === true) return true;
  return type.kind === "list" ? isJsonArray(value) : typeof value !== "object";
}
