import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import type { Rule } from "../../../src/rules/language/rule.ts";

/** A deterministic source of choices. */
export interface Choices {
  /** Returns a whole number from 0 to `below` - 1. */
  readonly number: (below: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
}

/** Returns choices from the random number generator Mulberry32. */
export function choicesFrom(seed: number): Choices {
  let state = seed;
  const number = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  return { number, pick: ([first, ...others]) => [first, ...others][number(others.length + 1)] ?? first };
}

type Values = readonly [JsonValue, ...JsonValue[]];

const DATES = [
  "2024-06-13",
  "2024-06-14",
  "2024-06-15",
  "2024-06-16",
  "2024-07-01",
  "2023-02-29",
  "9999-12-31",
] as const;
const MOMENTS = ["2024-06-15T00:00:00Z", "2024-06-14T23:30:00+01:00", "2024-06-16T12:00:00.5Z", "2024-06-15"] as const;
const NUMBERS = [0, 1, 2, 3, 28, -1, 1.5] as const;
const DECIMALS = ["0", "1.50", "1.5", "-3.00", "2", " 10.25 ", "1e2", "abc"] as const;
const TEXTS: Values = [
  "A",
  "B",
  "00001",
  "",
  "  ",
  "The Occupier",
  "07400 123456",
  "07400 12",
  "+44 7400 123456",
  "0412 345 678",
  "CB1 2AB",
  "2000",
  "1210000007919",
  "1210000007918",
  "test@example.org",
  "2018/19",
];
const STRANGE: Values = [null, "", [], {}, false, 0, "X", [null], [{}], { a: 1 }, ["2024-06-15"]];

/** Returns the strings with which rules compare values, at any depth. */
export function literalsIn(rules: readonly Rule[]): readonly JsonValue[] {
  const found = new Set<string>();
  const search = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if ("kind" in part && part.kind === "text" && "text" in part) found.add(String(part.text));
    for (const member of Object.values(part)) search(member);
  };
  for (const rule of rules) search(rule);
  return [...found];
}

type Make = (type: FieldType, choices: Choices, depth: number) => JsonValue;
type TypeOf<Kind> = Extract<FieldType, { kind: Kind }>;

const SCALARS: Readonly<Partial<Record<FieldType["kind"], Values>>> = {
  boolean: [true, false],
  number: NUMBERS,
  integer: NUMBERS,
  decimal: DECIMALS,
  date: DATES,
  datetime: MOMENTS,
  time: MOMENTS,
};

/** Generates values of a type. Most are plausible values from small sets, so that values are often equal. */
export function valueMaker(literals: readonly JsonValue[]): (type: FieldType, choices: Choices) => JsonValue {
  const texts: Values = [...TEXTS, ...literals];
  const make: Make = (type, choices, depth) => {
    if (choices.number(60) === 0) return choices.pick(STRANGE);
    if (type.kind === "object") return makeObject(type, choices, depth, make);
    if (type.kind === "union") return makeOption(type, choices, depth, make);
    if (type.kind === "list") {
      return Array.from({ length: choices.number(depth > 6 ? 2 : 4) }, () => make(type.items, choices, depth + 1));
    }
    const [first, ...others] = type.kind === "choice" ? type.choices : (SCALARS[type.kind] ?? texts);
    return first === undefined ? null : choices.pick([first, ...others]);
  };
  return (type, choices) => make(type, choices, 0);
}

function makeObject({ properties }: TypeOf<"object">, choices: Choices, depth: number, make: Make): JsonObject {
  const share = 1 + choices.number(depth > 6 ? 2 : 5);
  const made: Record<string, JsonValue> = {};
  for (const { name, type } of properties.values()) {
    if (depth < 9 && choices.number(10) < share) made[name] = make(type, choices, depth + 1);
  }
  return made;
}

function makeOption(
  { discriminator, options }: TypeOf<"union">,
  choices: Choices,
  depth: number,
  make: Make,
): JsonValue {
  const tagged = [...(discriminator?.mapping ?? [])];
  const [tag, option] = tagged[choices.number(tagged.length + 1)] ?? [];
  const [first, ...others] = options;
  const made = first === undefined ? {} : make(option ?? choices.pick([first, ...others]), choices, depth);
  if (tag === undefined || discriminator === undefined || !isJsonObject(made)) return made;
  return { ...made, [discriminator.property]: tag === "null" ? null : tag };
}

/** Changes a few values of a payload: removes members, repeats items and replaces values. */
export function mutated(payload: JsonObject, choices: Choices): JsonObject {
  const change = (value: JsonValue): JsonValue => {
    if (choices.number(25) === 0) return choices.pick([...STRANGE, ...DATES, ...MOMENTS, ...NUMBERS, ...TEXTS]);
    if (isJsonArray(value)) {
      const items = value.map(change);
      const [first] = items;
      return first !== undefined && choices.number(4) === 0 ? [...items, first] : items;
    }
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).filter(() => choices.number(12) > 0);
    return Object.fromEntries(kept.map(([name, member]) => [name, change(member)]));
  };
  const changed = change(payload);
  return isJsonObject(changed) ? changed : payload;
}

/** Returns the attrs of all values in a payload. */
export function attrsIn(value: JsonValue, attr = ""): readonly string[] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const inside = members.flatMap(([name, member]) => attrsIn(member, attr === "" ? name : `${attr}.${name}`));
  return attr === "" ? inside : [attr, ...inside];
}
