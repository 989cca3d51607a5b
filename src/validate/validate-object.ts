import { MAX_PROBLEMS } from "../model/problem-limit.ts";
import { countMatches, matchCost } from "./work-limit.ts";
import type { FieldType, ObjectType } from "../contract/types/field-type.ts";
import { matcherOf } from "../text/linear-pattern.ts";
import { suggest } from "../text/suggestion.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import {
  type Check,
  checkChild,
  childCheck,
  type ChildCheck,
  enterChild,
  leaveChild,
  type ProblemCollector,
} from "./problem-collector.ts";

/**
 * Checks an object: documented fields in the contract's order, then all other fields. Any object in a payload must be
 * complete, even if it is optional (API specification 2.7.2).
 */
export function objectCheck(type: ObjectType, compile: (type: FieldType) => Check): Check {
  const fields = fieldsOf(type, compile);
  const checkOthers = othersCheck(type, compile);
  // The platform treats an object without documented fields as a dictionary, which has a separate code.
  const isDictionary = type.properties.size === 0 && type.additional !== "closed" && type.namePatterns === undefined;
  return (value, collector) => {
    if (!isJsonObject(value)) {
      if (isDictionary) return collector.add(value, { code: "not_a_dict" });
      return collector.add(value, { code: "invalid", expected: "object" }, { whole: true });
    }
    if (!enterChild(value, collector)) return;
    const known = checkFields(fields, value, collector);
    if (countNames(value) !== known) checkOthers(value, collector);
    leaveChild(collector);
  };
}

interface FieldCheck extends ChildCheck {
  readonly name: string;
  readonly required: boolean;
  /** Whether all JavaScript objects inherit a property with this name, so that only an own property counts. */
  readonly inherited: boolean;
}

function fieldsOf(type: ObjectType, compile: (type: FieldType) => Check): readonly FieldCheck[] {
  return [...type.properties.values()]
    .filter((property) => !property.readOnly)
    .map(({ name, required, type: of }) => ({ ...childCheck(of, compile), name, required, inherited: name in {} }));
}

/** Checks the documented fields. Returns the number of documented fields that are present. */
function checkFields(fields: readonly FieldCheck[], value: JsonObject, collector: ProblemCollector): number {
  const at = collector.depth - 1;
  let known = 0;
  for (const field of fields) {
    const given = field.inherited && !Object.hasOwn(value, field.name) ? undefined : value[field.name];
    if (given === undefined && !field.required) continue;
    collector.path[at] = field.name;
    if (given === undefined) {
      collector.add(undefined, { code: "required" });
    } else {
      known += 1;
      checkChild(field, given, collector);
    }
  }
  return known;
}

function countNames(value: JsonObject): number {
  let count = 0;
  for (const name in value) if (value[name] !== undefined) count += 1;
  return count;
}

/**
 * Checks read-only fields and undocumented fields. Undocumented fields are rejected (API specification 2.7.5), unless
 * the type allows additional properties or a pattern allows the name.
 */
function othersCheck(
  type: ObjectType,
  compile: (type: FieldType) => Check,
): (value: JsonObject, collector: ProblemCollector) => void {
  const additional = type.additional === "closed" ? undefined : childCheck(type.additional, compile);
  const matchers = (type.namePatterns ?? []).map(matcherOf);
  const cost = (type.namePatterns ?? []).reduce((sum, pattern) => sum + matchCost(pattern), 0);
  const readOnly = new Map(
    [...type.properties.values()]
      .filter((property) => property.readOnly)
      .map((property) => [property.name, childCheck(property.type, compile)]),
  );
  return (value, collector) => {
    for (const [name, other] of Object.entries(value)) {
      const property = type.properties.get(name);
      const check = readOnly.get(name);
      if (other === undefined || property?.readOnly === false) continue;
      if (property === undefined) countMatches(collector.work, name, cost);
      if (property === undefined && matchers.some((matches) => matches(name))) continue;
      collector.path[collector.depth - 1] = name;
      if (check !== undefined) checkReadOnly(check, other, collector);
      else if (additional !== undefined) checkChild(additional, other, collector);
      else reportUnknown(name, other, type, collector);
    }
  };
}

/** Warns about a read-only field. Its value is also validated, although the platform sets the field itself. */
function checkReadOnly(check: ChildCheck, value: JsonValue, collector: ProblemCollector): void {
  collector.add(value, { code: "read_only" }, { severity: "warning" });
  checkChild(check, value, collector);
}

function reportUnknown(name: string, value: JsonValue, type: ObjectType, collector: ProblemCollector): void {
  // Skips the suggestion beyond `MAX_PROBLEMS`, because finding it requires a comparison of the name with every
  // property, and further errors are only counted.
  const suggestion = collector.errors < MAX_PROBLEMS ? suggest(name, [...type.properties.keys()]) : undefined;
  collector.add(value, { code: "unknown_field", ...(suggestion !== undefined && { suggestion }) });
}
