import type { Discriminator, FieldType, UnionType } from "../contract/field-type.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../model/json.ts";
import type { Check, Found, FoundProblem, Present } from "./found.ts";
import { enter, leave } from "./walk.ts";

/** `oneOf`/`anyOf`: by the discriminator where there is one, else the option that fits best. */
export function unionCheck(type: UnionType, compile: (type: FieldType) => Check): Check {
  return type.discriminator === undefined
    ? bestOptionCheck(type.options, compile)
    : discriminatedCheck(type.discriminator, compile);
}

/** Generated documents map `null` to an option: it is chosen by a property that is null, or not there at all. */
const NO_TAG = "null";

function discriminatedCheck({ property, mapping }: Discriminator, compile: (type: FieldType) => Check): Check {
  const checks = new Map([...mapping].map(([value, type]) => [value, compile(type)]));
  const choices = [...mapping.keys()];
  return (value, found) => {
    if (!isJsonObject(value)) return found.add(value, { code: "invalid", expected: "object" }, { whole: true });
    const tag = Object.hasOwn(value, property) ? value[property] : undefined;
    const check = checks.get(tagText(tag));
    if (check !== undefined) check(value, found);
    else if (enter(value, found)) reportTag(property, tag, choices, found);
  };
}

function tagText(tag: JsonValue | undefined): string {
  if (tag === undefined || tag === null) return NO_TAG;
  return typeof tag === "object" ? "" : String(tag);
}

function reportTag(property: string, tag: JsonValue | undefined, choices: readonly string[], found: Found): void {
  found.path[found.depth - 1] = property;
  if (tag === undefined) found.add(undefined, { code: "required" });
  else if (tag === null) found.add(tag, { code: "null" });
  else found.add(tag, { code: "invalid_choice", choices });
  leave(found);
}

interface Option {
  readonly check: Check;
  readonly json: JsonKind | undefined;
}

/**
 * The first option without errors decides; where there is none, the one with the fewest errors among those of the
 * value's own JSON type, since "must be text" helps nobody who wrote an object with a slip in it.
 */
function bestOptionCheck(types: readonly FieldType[], compile: (type: FieldType) => Check): Check {
  const options: readonly Option[] = types.map((type) => ({ check: compile(type), json: jsonKindOf(type) }));
  return (value, found) => {
    const alike = options.filter(({ json }) => json === undefined || json === kindOfValue(value));
    tryOptions(alike.length > 0 ? alike : options, value, found);
  };
}

interface Trial {
  readonly errors: number;
  readonly problems: readonly FoundProblem[];
}

function tryOptions(options: readonly Option[], value: Present, found: Found): void {
  const before = { errors: found.errors, problems: found.problems.length };
  let best: Trial | undefined;
  for (const { check } of options) {
    check(value, found);
    const errors = found.errors - before.errors;
    if (errors === 0) return;
    const problems = found.problems.splice(before.problems);
    found.errors = before.errors;
    if (best === undefined || errors < best.errors) best = { errors, problems };
  }
  found.errors += best?.errors ?? 0;
  found.problems.push(...(best?.problems ?? []));
}

type JsonKind = "object" | "list" | "scalar";

function jsonKindOf(type: FieldType): JsonKind | undefined {
  if (type.kind === "any" || type.kind === "union") return undefined;
  return type.kind === "object" || type.kind === "list" ? type.kind : "scalar";
}

function kindOfValue(value: Present): JsonKind {
  if (isJsonArray(value)) return "list";
  return isJsonObject(value) ? "object" : "scalar";
}
