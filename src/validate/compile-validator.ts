import {
  type Assertion,
  type FieldType,
  isOfKind,
  type ListType,
  type ObjectType,
  type UnionType,
} from "../contract/types/field-type.ts";
import { type JsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import { type AssertionFinding, compileAssertions } from "./schema-assertions.ts";
import { booleanCheck, choiceCheck, temporalCheck } from "./validate-scalar.ts";
import type { ByteCheck } from "./byte-check.ts";
import { decimalByteCheck, decimalCheck, numberCheck } from "./validate-number.ts";
import {
  type Check,
  checkChild,
  childCheck,
  createCollector,
  type FoundProblem,
  type ProblemCollector,
  resetCollector,
  takeProblems,
} from "./problem-collector.ts";
import { listCheck } from "./validate-list.ts";
import { objectCheck } from "./validate-object.ts";
import { textByteCheck, textCheck } from "./validate-text.ts";
import { unionCheck } from "./validate-union.ts";
import { withinWork } from "./work-limit.ts";

export type { FoundProblem } from "./problem-collector.ts";

/**
 * Returns the problems of one payload, in the order of the contract's fields. Undocumented fields follow the documented
 * fields of their object. Problems beyond a limit are only counted (`addProblem`). Returns one shared empty array for a
 * valid payload. Not re-entrant.
 * @throws Failure `contract_invalid` if the payload requires too much work (`withinWork`)
 */
export type Validate = (payload: JsonObject) => readonly FoundProblem[];

export interface ValidatorOptions {
  /** Root location of the supplier's documents. A document path must not repeat it (API specification 2.5). */
  readonly documentRoot?: string;
  /** Whether problems include the value itself. True only if the user asked to see values. */
  readonly keepValues: boolean;
}

/**
 * Compiles a request body's type into a function that finds all problems: data that the platform would reject (severity
 * `error`) or change silently (`warning`). The codes and attrs follow the Django REST framework.
 */
export function compileValidator(body: FieldType, options: ValidatorOptions): Validate {
  const check = compiler(options)(body);
  const collector = createCollector(options.keepValues);
  return withinWork((payload: JsonObject, limit) => {
    resetCollector(collector, limit);
    check(payload, collector);
    return collector.problems.length === 0 ? NO_PROBLEMS : takeProblems(collector);
  });
}

/** Compiles a check for a value inside a payload: true if there are no errors and no warnings. Not re-entrant. */
export function compileValueCheck(type: FieldType, options: ValidatorOptions): (value: JsonValue) => boolean {
  const child = childCheck(type, compiler(options));
  const collector = createCollector(options.keepValues);
  return withinWork((value: JsonValue, limit) => {
    resetCollector(collector, limit);
    checkChild(child, value, collector);
    return collector.problems.length === 0 || takeProblems(collector).length === 0;
  });
}

/**
 * Returns the first alternative that accepts a value without a warning or, if there is none, the first that accepts it
 * with a warning. Returns undefined if no alternative accepts the value. Not re-entrant.
 */
export type OptionChooser = (value: JsonValue) => FieldType | undefined;

/** Returns a function that compiles the choice between alternatives. Compiles each type only once. */
export function createOptionChoice(): (options: readonly FieldType[]) => OptionChooser {
  const compile = compiler({ keepValues: false });
  const collector = createCollector(false);
  return (types) => {
    const options = types.map((type) => ({ type, child: childCheck(type, compile) }));
    return withinWork((value: JsonValue, limit) => {
      let converting: FieldType | undefined;
      resetCollector(collector, limit);
      for (const { type, child } of options) {
        checkChild(child, value, collector);
        const { errors } = collector;
        if (takeProblems(collector).length === 0) return type;
        if (errors === 0) converting ??= type;
      }
      return converting;
    });
  };
}

/**
 * Compiles a check of a cell's bytes, for a value that is sent as the cell's text. Returns undefined if bytes alone are
 * not sufficient.
 */
export function compileByteCheck(type: FieldType): ByteCheck | undefined {
  if (type.assertions !== undefined) return undefined;
  if (type.kind === "text") return textByteCheck(type);
  return type.kind === "decimal" ? decimalByteCheck(type) : undefined;
}

const NO_PROBLEMS: readonly FoundProblem[] = Object.freeze([]);

/** Compiles each type once. During compilation, a placeholder represents a type that contains itself. */
function compiler(options: ValidatorOptions): (type: FieldType) => Check {
  const compiled = new Map<FieldType, Check>();
  const compile = (type: FieldType): Check => {
    const known = compiled.get(type);
    if (known !== undefined) return known;
    let check: Check = acceptAll;
    compiled.set(type, (value, collector) => check(value, collector));
    check = build(type, compile, options);
    compiled.set(type, check);
    return check;
  };
  return compile;
}

function build(type: FieldType, compile: (type: FieldType) => Check, options: ValidatorOptions): Check {
  if (type.impossible !== undefined) return refuseAll;
  const check = checkOfKind(type, compile, options);
  const open = type.untyped === true ? onlyOfKind(type, check) : check;
  return type.assertions === undefined ? open : withAssertions(open, type.assertions);
}

/** Applies a check only to values of the JSON type that belongs to the kind. Values of other types are valid. */
function onlyOfKind({ kind }: FieldType, check: Check): Check {
  return (value, collector) => {
    if (isOfKind(kind, value)) check(value, collector);
  };
}

/** Adds assertions to a check. They are evaluated only if the check finds no errors. */
function withAssertions(check: Check, assertions: readonly Assertion[]): Check {
  const assert = compileAssertions(assertions);
  return (value, collector) => {
    const { errors } = collector;
    check(value, collector);
    const found = collector.errors === errors ? assert(value, collector.work) : undefined;
    if (found !== undefined) addBelow(value, found, collector);
  };
}

function addBelow(value: JsonValue, { path, finding }: AssertionFinding, collector: ProblemCollector): void {
  collector.path.splice(collector.depth, Infinity, ...path);
  collector.depth += path.length;
  collector.add(valueAt(value, path), finding);
  collector.depth -= path.length;
}

function checkOfKind(type: FieldType, compile: (type: FieldType) => Check, options: ValidatorOptions): Check {
  if (type.kind === "object") return objectCheck(type, compile);
  if (type.kind === "list") return listCheck(type, compile);
  if (type.kind === "union") return unionCheck(type, compile);
  return scalarCheck(type, options);
}

function scalarCheck(type: Exclude<FieldType, ObjectType | ListType | UnionType>, options: ValidatorOptions): Check {
  switch (type.kind) {
    case "text":
      return textCheck(type, options.documentRoot);
    case "decimal":
      return decimalCheck(type);
    case "number":
    case "integer":
      return numberCheck(type);
    case "boolean":
      return booleanCheck(type);
    case "choice":
      return choiceCheck(type);
    case "date":
    case "datetime":
    case "time":
      return temporalCheck(type);
    case "any":
      break;
  }
  return acceptAll;
}

/** Rejects every value, for a type that no value other than null satisfies. */
function refuseAll(value: JsonValue, collector: ProblemCollector): void {
  collector.add(value, { code: "schema_mismatch", keyword: "allOf" });
}

function acceptAll(): void {}
