import { invalidChoice } from "../text/invalid-choice.ts";
import type { Discriminator, FieldType, UnionType } from "../contract/types/field-type.ts";
import { acceptedOptions, tagText, untaggedOptions } from "../contract/types/type-tree.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../json/json-value.ts";
import { addProblem } from "../model/problem-limit.ts";
import {
  type Check,
  enterChild,
  leaveChild,
  type NonNullJson,
  type ProblemCollector,
  type TrialResult,
} from "./problem-collector.ts";
import { countTrial } from "./work-limit.ts";
import { getOrAdd } from "../model/groups.ts";

/**
 * Checks a value against the option that the discriminator selects; without a discriminator, against the best option.
 */
export function unionCheck(type: UnionType, compile: (type: FieldType) => Check): Check {
  return type.discriminator === undefined
    ? bestOptionCheck(acceptedOptions(type), compile, type.exactlyOne)
    : discriminatedCheck(type.discriminator, compile);
}

/** Generated contracts map `null` to an option. A null or absent property selects that option. */
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
 * Selects the first option without problems, or otherwise the first option without errors. If every option has errors,
 * selects the option with the fewest errors. Considers options of a different JSON type only if no option has the JSON
 * type of the value, because "must be text" does not help with an error inside an object.
 */
function bestOptionCheck(types: readonly FieldType[], compile: (type: FieldType) => Check, exactlyOne = false): Check {
  const options: readonly Option[] = types.map((option) => ({
    check: compile(option),
    json: jsonKindOf(option),
  }));
  const check: Check = (value, collector) => {
    const sameKind = options.filter(({ json }) => json === undefined || json === kindOfValue(value));
    const tried = sameKind.length > 0 ? sameKind : options;
    const [fitting, another] = tryOptions(tried, value, collector);
    if (!exactlyOne || fitting === undefined) return;
    const untried = tried.slice(tried.indexOf(fitting) + 1);
    if (another !== undefined || untried.some((option) => isUnchanged(tryOption(option, value, collector)))) {
      collector.add(value, TWO_FIT);
    }
  };
  return onceAtEachPlace(check);
}

/**
 * While other alternatives are being tried, evaluates a check only once per location. Otherwise, each level of nested
 * alternatives would double the number of times that the same value is checked.
 */
function onceAtEachPlace(check: Check): Check {
  return (value, collector) => {
    const { trials } = collector;
    if (trials.depth === 0) return check(value, collector);
    const place = JSON.stringify(collector.path.slice(0, collector.depth));
    const results = getOrAdd(trials.known, check, () => new Map<string, TrialResult | "open">());
    const known = results.get(place);
    // The alternative contains itself. A value that matches it also matches one of the other alternatives.
    if (known === "open") return collector.add(value, NONE_FITS);
    if (known === undefined) results.set(place, "open");
    const result = known ?? resultOf(check, value, collector);
    results.set(place, result);
    addResult(result, collector);
  };
}

function addResult({ errors, problems }: TrialResult, collector: ProblemCollector): void {
  collector.errors += errors;
  for (const problem of problems) addProblem(collector.problems, problem);
}

/** Returns the result of a check without adding it to the problems. */
function resultOf(check: Check, value: NonNullJson, collector: ProblemCollector): TrialResult {
  const { errors, problems } = collector;
  collector.problems = [];
  check(value, collector);
  const result = { errors: collector.errors - errors, problems: collector.problems };
  collector.errors = errors;
  collector.problems = problems;
  return result;
}

/** Checks a value against one of its alternatives. @throws TooMuchWork beyond the limit on trials */
function tryOption({ check }: Option, value: NonNullJson, collector: ProblemCollector): TrialResult {
  const { trials } = collector;
  countTrial(collector.work);
  trials.depth += 1;
  try {
    return resultOf(check, value, collector);
  } finally {
    trials.depth -= 1;
    if (trials.depth === 0) trials.known.clear();
  }
}

const NONE_FITS = { code: "schema_mismatch", keyword: "anyOf" } as const;
const TWO_FIT = { code: "schema_mismatch", keyword: "oneOf" } as const;

/**
 * Adds the problems of the best option. An option without problems takes precedence over earlier options. Returns the
 * options that accept the value without conversion, up to the first option without problems.
 */
function tryOptions(options: readonly Option[], value: NonNullJson, collector: ProblemCollector): readonly Option[] {
  let best: TrialResult | undefined;
  const fitting: Option[] = [];
  for (const option of options) {
    const result = tryOption(option, value, collector);
    const isExact = result.problems.length === 0;
    if (best === undefined || isExact || result.errors < best.errors) best = result;
    if (isUnchanged(result)) fitting.push(option);
    if (isExact) break;
  }
  if (best !== undefined) addResult(best, collector);
  return fitting;
}

/** Whether an option with this result accepts the value unchanged. */
function isUnchanged({ problems }: TrialResult): boolean {
  return problems.every(({ code }) => code === "read_only");
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
