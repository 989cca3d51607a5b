import { z } from "zod";
import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { lowerFirst } from "../../text/letter-case.ts";
import { didYouMean } from "../../text/suggestion.ts";
import { DATE_KINDS, PERIOD_KINDS } from "./date-kinds.ts";
import { type Expression, namedValueOf, subexpressionsOf } from "./expression.ts";
import { LIST_KINDS } from "./list-kinds.ts";
import { PRESENCE_KINDS } from "./presence-kinds.ts";
import { attrTemplate, expression, type KindReaders, path as pathExpression } from "./rule-schema.ts";
import {
  type Rule,
  type RuleDeclarations,
  type RuleKind,
  type SettingType,
  type StatedCoverage,
  UNDECIDED_REASONS,
  type UndecidedReason,
} from "./rule.ts";
import { VALUE_KINDS } from "./value-kinds.ts";

/** Reports an error in a rule; `path` is its location in the document. */
export type ReportRuleIssue = (message: string, path: AttrPath) => void;

/** Reads a schema's `x-rules`. A rule with errors is reported and omitted. */
export function readRules(written: JsonValue, path: AttrPath, report: ReportRuleIssue): readonly Rule[] {
  if (!isJsonArray(written)) {
    report('"x-rules" must be a list of rules', path);
    return [];
  }
  return written.flatMap((rule, index) => {
    const place = [...path, index];
    if (isJsonObject(rule)) return readRule(rule, place, report) ?? [];
    report("a rule must be an object with kind and code", place);
    return [];
  });
}

function readRule(written: JsonObject, path: AttrPath, reportAt: ReportRuleIssue): Rule | undefined {
  const report = (message: string, ...at: AttrPath): undefined => {
    reportAt(message, [...path, ...at]);
    return undefined;
  };
  const { kind, ...members } = written;
  if (typeof kind !== "string" || !isKind(kind)) return report(unknownKind(kind), "kind");
  const { members: own, read } = KIND_READERS[kind];
  const unknown = unknownMember(kind, members, own);
  if (unknown !== undefined) return report(unknown.message, unknown.name);
  const common = commonSchema.safeParse(members);
  const parsed = read(members);
  if (typeof parsed === "string") return report(`${kind}: ${parsed}`);
  for (const { issues } of [common.error, parsed].filter((part) => part instanceof z.ZodError)) {
    for (const issue of issues)
      report(issueText(kind, issue), ...issue.path.filter((part) => typeof part !== "symbol"));
  }
  if (!common.success || parsed instanceof z.ZodError) return undefined;
  const { "skip-if-missing": skipIfMissing, when, each, attr, message, code, severity } = common.data;
  return {
    ...parsed.check,
    code,
    severity,
    skipIfMissing,
    place: path,
    about: aboutTexts(parsed.about),
    ...definedMembers({ when, each, attr, message }),
  };
}

function unknownMember(
  kind: string,
  members: object,
  own: object,
): { readonly name: string; readonly message: string } | undefined {
  const known = [...Object.keys(own), ...Object.keys(commonMembers)];
  const name = Object.keys(members).find((member) => !known.includes(member));
  if (name === undefined) return undefined;
  return { name, message: `a rule of kind ${kind} has no member "${name}"${didYouMean(name, known)}` };
}

/** The members that a rule of any kind can have, in addition to the members of its kind. */
const commonMembers = {
  code: z.string("must be the code of the problem").min(1, "must be the code of the problem"),
  when: expression.optional(),
  each: pathExpression.optional(),
  attr: attrTemplate.optional(),
  message: z.string("must be text").min(1, "must not be empty").optional(),
  severity: z.enum(["error", "warning"], 'must be "error" or "warning"').default("error"),
  "skip-if-missing": z.boolean("must be true or false").default(true),
};

const commonSchema = z.object(commonMembers);

function isKind(kind: string): kind is RuleKind {
  return Object.hasOwn(KIND_READERS, kind);
}

function unknownKind(kind: JsonValue | undefined): string {
  const known = Object.keys(KIND_READERS);
  if (typeof kind !== "string") return `a rule must have a kind: one of ${known.join(", ")}`;
  return `there is no kind of rule "${kind}"${didYouMean(kind, known) || `; known kinds: ${known.join(", ")}`}`;
}

function issueText(kind: string, { path, message, code }: z.core.$ZodIssue): string {
  const [member] = path;
  const what = code === "invalid_type" && /undefined/.test(message) ? "is missing" : message;
  return `${kind}: ${member === undefined ? "" : `"${String(member)}" `}${lowerFirst(what)}`;
}

/**
 * Returns the words, and the text of each path, for display in problems. The path `.` and named values are not fields.
 */
function aboutTexts(about: readonly (Expression | string)[]): readonly string[] {
  const texts = about.flatMap((one) => {
    if (typeof one === "string") return [one];
    return one.kind === "path" && namedValueOf(one) === undefined ? [one.text] : [];
  });
  return [...new Set(texts)].filter((text) => text !== ".");
}

/** The reader of each kind. `readRule` reports unknown members. */
const KIND_READERS: KindReaders<RuleKind> = {
  ...PRESENCE_KINDS,
  ...VALUE_KINDS,
  ...DATE_KINDS,
  ...LIST_KINDS,
  ...PERIOD_KINDS,
};

/**
 * Reads the declarations that all rules share, from the document's root: `x-rule-values`, `x-rule-settings`,
 * `x-rule-coverage`.
 */
export function readRuleDeclarations(document: JsonObject, report: ReportRuleIssue): RuleDeclarations {
  const read = <Value>(name: string, schema: z.ZodType<Value>): Value | undefined => {
    if (!Object.hasOwn(document, name)) return undefined;
    const parsed = schema.safeParse(document[name]);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const path = issue.path.filter((part) => typeof part !== "symbol");
      report(`${name}: ${issue.message}`, [name, ...path]);
    }
    return undefined;
  };
  const values = new Map(Object.entries(read("x-rule-values", valuesSchema) ?? {}));
  for (const name of circularNames(values)) {
    report(`the named value "${name}" depends on itself`, ["x-rule-values", name]);
    values.delete(name);
  }
  return {
    values,
    settings: new Map(Object.entries(read("x-rule-settings", settingsSchema) ?? {})),
    ...(read("x-rule-coverage", coverageSchema) ?? NO_COVERAGE_STATED),
  };
}

const NAME = z.string().regex(/^\w+$/, "a name can contain only letters, digits and underscores");

const valuesSchema = z.record(NAME, expression, "must be an object that maps names to expressions");

/** The default values that each type of setting accepts. */
const DEFAULTS: Readonly<Record<SettingType["type"], z.ZodType>> = {
  boolean: z.boolean("the default must be true or false"),
  number: z.union(
    [z.number(), z.string().regex(/^-?\d+(?:\.\d+)?$/, "the default must be a number")],
    "the default must be a number",
  ),
  text: z.string("the default must be a string"),
  list: z.array(z.string(), "the default must be a list of strings"),
};

const settingSchema: z.ZodType<SettingType> = z
  .strictObject({
    type: z.enum(["boolean", "number", "text", "list"], "must be one of boolean, number, text, list"),
    description: z.string().optional(),
    default: z.union([z.boolean(), z.number(), z.string(), z.array(z.string())]).optional(),
  })
  .superRefine(({ type, default: defaultValue }, context) => {
    const { error } = DEFAULTS[type].optional().safeParse(defaultValue);
    for (const { message } of error?.issues ?? []) context.addIssue({ code: "custom", message, path: ["default"] });
  })
  .transform(({ type, description, default: defaultValue }) => ({
    type,
    ...definedMembers({ description, default: defaultValue }),
  }));

const settingsSchema = z.record(NAME, settingSchema, "must be an object that maps names to settings");

const NO_COVERAGE_STATED: StatedCoverage = { undecided: new Map(), partial: new Set() };
const COVERAGE_LISTS = [...UNDECIDED_REASONS, "partial"] as const;

const coverageSchema = z
  .partialRecord(z.enum(COVERAGE_LISTS), z.array(z.string()), `must be lists of codes: ${COVERAGE_LISTS.join(", ")}`)
  .transform((lists): StatedCoverage => {
    const undecided = new Map<string, UndecidedReason>();
    for (const reason of UNDECIDED_REASONS) for (const code of lists[reason] ?? []) undecided.set(code, reason);
    return { undecided, partial: new Set(lists.partial) };
  });

/** Returns the names of values that refer to themselves, directly or through other named values. */
function circularNames(values: ReadonlyMap<string, Expression>): readonly string[] {
  const uses = new Map([...values].map(([name, value]) => [name, namesIn(value)]));
  return [...values.keys()].filter((name) => {
    const seen = new Set<string>();
    const open = [...(uses.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === name) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      for (const used of uses.get(next) ?? []) open.push(used);
    }
    return false;
  });
}

function namesIn(value: Expression): readonly string[] {
  const own = value.kind === "path" ? value.steps.flatMap((step) => (step.kind === "named" ? [step.name] : [])) : [];
  return [...own, ...subexpressionsOf(value).flatMap(namesIn)];
}
