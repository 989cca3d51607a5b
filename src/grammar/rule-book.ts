import { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import { present } from "../model/present.ts";
import { partsOf, type Expression } from "./expression.ts";
import { UNDECIDED_REASONS, type RuleBook, type SettingType, type UndecidedReason } from "./rule.ts";
import type { Refuse } from "./read-rules.ts";
import { expression } from "./rule-parts.ts";

/** What rules share, at the document's root: `x-rule-values`, `x-rule-settings`, `x-rule-coverage`. */
export function readRuleBook(document: JsonObject, refuse: Refuse): RuleBook {
  const read = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined => {
    if (!Object.hasOwn(document, name)) return undefined;
    const parsed = schema.safeParse(document[name]);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const spot = issue.path.filter((part) => typeof part !== "symbol");
      refuse(`${name}: ${issue.message}`, [name, ...spot]);
    }
    return undefined;
  };
  const values = new Map(Object.entries(read("x-rule-values", valuesSchema) ?? {}));
  for (const name of circular(values)) {
    refuse(`the named value "${name}" leads back to itself`, ["x-rule-values", name]);
    values.delete(name);
  }
  return {
    values,
    settings: new Map(Object.entries(read("x-rule-settings", settingsSchema) ?? {})),
    ...(read("x-rule-coverage", coverageSchema) ?? NOTHING_SAID),
  };
}

const NAME = z.string().regex(/^\w+$/, "a name is made of letters, digits and underscores");

const valuesSchema = z.record(NAME, expression, "must be expressions with their names");

const settingSchema: z.ZodType<SettingType> = z
  .strictObject({
    type: z.enum(["boolean", "number", "text", "list"], "must be one of boolean, number, text, list"),
    description: z.string().optional(),
    default: z.union([z.boolean(), z.number(), z.string(), z.array(z.string())]).optional(),
  })
  .transform(({ type, description, default: standard }) => ({
    type,
    ...present({ description, default: standard }),
  }));

const settingsSchema = z.record(NAME, settingSchema, "must be settings with their names");

type Stated = Pick<RuleBook, "undecided" | "partial">;

const NOTHING_SAID: Stated = { undecided: new Map(), partial: new Set() };
const STATED = [...UNDECIDED_REASONS, "partial"] as const;

const coverageSchema = z
  .partialRecord(z.enum(STATED), z.array(z.string()), `must be lists of codes: ${STATED.join(", ")}`)
  .transform((lists): Stated => {
    const undecided = new Map<string, UndecidedReason>();
    for (const reason of UNDECIDED_REASONS) for (const code of lists[reason] ?? []) undecided.set(code, reason);
    return { undecided, partial: new Set(lists.partial) };
  });

/** Names that use themselves, straight or through others. */
function circular(values: ReadonlyMap<string, Expression>): readonly string[] {
  const uses = new Map([...values].map(([name, value]) => [name, namesIn(value)]));
  return [...values.keys()].filter((name) => {
    const seen = new Set<string>();
    const open = [...(uses.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === name) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(uses.get(next) ?? []));
    }
    return false;
  });
}

function namesIn(value: Expression): readonly string[] {
  const own = value.kind === "path" ? value.steps.flatMap((step) => (step.kind === "named" ? [step.name] : [])) : [];
  return [...own, ...partsOf(value).flatMap(namesIn)];
}
