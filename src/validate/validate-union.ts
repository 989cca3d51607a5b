import { invalidChoice } from "../text/invalid-choice.ts";
import type { Discriminator, FieldType, UnionType } from "../contract/types/field-type.ts";
import { optionsTaken, tagText, untaggedOptions } from "../contract/types/type-tree.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../json/json-value.ts";
import { addProblem } from "../model/problem-limit.ts";
import { type Check, enterChild, leaveChild, type NonNullJson, type ProblemCollector } from "./problem-collector.ts";

/** `oneOf`/`anyOf`: by the discriminator where there is one, else the option that fits best. */
export function unionCheck(type: UnionType, compile: (type: FieldType) => Check): Check {
  return type.discriminator === undefined
    ? bestOptionCheck(optionsTaken(type), compile, type.exactlyOne)
    : discriminatedCheck(type.discriminator, compile);
}

/** Generated documents map `null` to an option: it is chosen by a property that is null, or not there at all. */
function discriminatedCheck(discriminator: Discriminator, compile: (type: FieldType) => Check): Check {
  const { property, mapping } = discriminator;
  const untagged = untaggedOptions(discriminator);
  const anyOption = untagged.length === 0 ? undefined : bestOptionCheck(untagged, compile);
  const checks = new Map([...mapping].map(([value, type]) => [value, compile(type)]));
  const choices = [...mapping.keys()];
  return (value, collector) => {
    if (!isJsonObject(value)) return collector.add(value, { code: "invalid", expected: "object" }, { whole: true });
    const tag = Object.hasOwn(value, property) ? value[property] : undefined;
    const check = checks.get(tagText(tag)) ?? (tag === undefined ? anyOption : undefined);
    if (check !== undefined) check(value, collector);
    else if (enterChild(value, collector)) reportTag(property, tag, choices, collector);
  };
}

function reportTag(
  property: string,
  tag: JsonValue | undefined,
  choices: readonly string[],
  collector: ProblemCollector,
): void {
  collector.path[collector.depth - 1] = property;
  if (tag === undefined) collector.add(undefined, { code: "required" });
  else if (tag === null) collector.add(tag, { code: "null" });
  else collector.add(tag, invalidChoice(tag, choices));
  leaveChild(collector);
}

interface Option {
  readonly check: Check;
  readonly json: JsonKind | undefined;
}

/**
 * The first option without any problem decides, else the first without errors; where there is none, the one with the fewest errors among those of the
 * value's own JSON type, since "must be text" helps nobody who wrote an object with a slip in it.
 */
function bestOptionCheck(types: readonly FieldType[], compile: (type: FieldType) => Check, exactlyOne = false): Check {
  const options: readonly Option[] = types.map((option) => ({
    check: compile(option),
    json: jsonKindOf(option),
  }));
  return (value, collector) => {
    const alike = options.filter(({ json }) => json === undefined || json === kindOfValue(value));
    const tried = alike.length > 0 ? alike : options;
    const fitting = tryOptions(tried, value, collector);
    if (exactlyOne && fitting !== undefined && fitsAnother(tried, fitting, value, collector)) {
      collector.add(value, TWO_FIT);
    }
  };
}

const TWO_FIT = { code: "schema_mismatch", keyword: "oneOf" } as const;

/** Whether an option behind the fitting one takes the value as it is, too. What it would have to convert does not count. */
function fitsAnother(
  options: readonly Option[],
  fitting: Option,
  value: NonNullJson,
  collector: ProblemCollector,
): boolean {
  const { errors, problems } = collector;
  let found = false;
  for (const { check } of options.slice(options.indexOf(fitting) + 1)) {
    collector.problems = [];
    check(value, collector);
    found = collector.problems.length === 0;
    if (found) break;
  }
  collector.errors = errors;
  collector.problems = problems;
  return found;
}

/** Gives the option that takes the value as it is; it is preferred to one before it that has to convert the value. */
function tryOptions(options: readonly Option[], value: NonNullJson, collector: ProblemCollector): Option | undefined {
  const { errors: errorsBefore, problems: kept } = collector;
  let best: Pick<ProblemCollector, "errors" | "problems"> = { errors: Number.POSITIVE_INFINITY, problems: [] };
  let fitting: Option | undefined;
  for (const option of options) {
    collector.problems = [];
    option.check(value, collector);
    const errors = collector.errors - errorsBefore;
    collector.errors = errorsBefore;
    const isExact = collector.problems.length === 0;
    if (isExact || errors < best.errors) best = { errors, problems: collector.problems };
    if (isExact) {
      fitting = option;
      break;
    }
  }
  collector.problems = kept;
  if (options.length > 0) collector.errors += best.errors;
  for (const problem of best.problems) addProblem(kept, problem);
  return fitting;
}

type JsonKind = "object" | "list" | "scalar";

function jsonKindOf(type: FieldType): JsonKind | undefined {
  if (type.kind === "any" || type.kind === "union" || type.untyped === true) return undefined;
  return type.kind === "object" || type.kind === "list" ? type.kind : "scalar";
}

function kindOfValue(value: NonNullJson): JsonKind {
  if (isJsonArray(value)) return "list";
  return isJsonObject(value) ? "object" : "scalar";
}
