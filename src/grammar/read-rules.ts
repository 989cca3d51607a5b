import { z } from "zod";
import type { AttrPath } from "../model/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { present } from "../model/present.ts";
import type { Expression, PathExpression } from "./expression.ts";
import { KIND_READERS } from "./rule-kinds.ts";
import { attrPattern, expression, path as pathExpression } from "./rule-parts.ts";
import type { Rule, RuleKind } from "./rule.ts";
import { suggest } from "../model/suggest.ts";

/** Takes note of what is not understood; `path` is where in the document it stands. */
export type Refuse = (message: string, path: AttrPath) => void;

/** A schema's `x-rules`. A rule that is not understood is refused and left out. */
export function readRules(written: JsonValue, path: AttrPath, refuse: Refuse): readonly Rule[] {
  if (!isJsonArray(written)) {
    refuse('"x-rules" must be a list of rules', path);
    return [];
  }
  return written.flatMap((rule, index) => {
    const place = [...path, index];
    if (isJsonObject(rule)) return readRule(rule, place, refuse) ?? [];
    refuse("a rule must be an object with kind and code", place);
    return [];
  });
}

function readRule(written: JsonObject, path: AttrPath, refuseAt: Refuse): Rule | undefined {
  const refuse = (message: string, ...at: AttrPath): undefined => {
    refuseAt(message, [...path, ...at]);
    return undefined;
  };
  const { kind, ...members } = written;
  if (typeof kind !== "string" || !isKind(kind)) return refuse(unknownKind(kind), "kind");
  const { members: own, read } = KIND_READERS[kind];
  const strange = strangeMember(kind, members, own);
  if (strange !== undefined) return refuse(strange.message, strange.name);
  const common = commonSchema.safeParse(members);
  const understood = read(members);
  if (typeof understood === "string") return refuse(`${kind}: ${understood}`);
  for (const { issues } of [common.error, understood].filter((part) => part instanceof z.ZodError)) {
    for (const issue of issues)
      refuse(issueText(kind, issue), ...issue.path.filter((part) => typeof part !== "symbol"));
  }
  if (!common.success || understood instanceof z.ZodError) return undefined;
  const { "skip-if-missing": skipIfMissing, when, each, attr, message, code, severity } = common.data;
  return {
    ...understood.check,
    code,
    severity,
    skipIfMissing,
    place: path,
    about: wordsOf(understood.about),
    ...present({ when, each, attr, message }),
  };
}

function strangeMember(
  kind: string,
  members: object,
  own: object,
): { readonly name: string; readonly message: string } | undefined {
  const known = [...Object.keys(own), ...Object.keys(commonMembers)];
  const name = Object.keys(members).find((member) => !known.includes(member));
  if (name === undefined) return undefined;
  const near = suggest(name, known);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return { name, message: `a rule of kind ${kind} has no member "${name}"${hint}` };
}

/** What every rule has beside its kind's own members. */
const commonMembers = {
  code: z.string("must be the code of the problem").min(1, "must be the code of the problem"),
  when: expression.optional(),
  each: pathExpression.optional(),
  attr: attrPattern.optional(),
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
  if (typeof kind !== "string") return `a rule needs its kind: one of ${known.join(", ")}`;
  const near = suggest(kind, known);
  return `there is no kind of rule "${kind}"${near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`}`;
}

function issueText(kind: string, { path, message, code }: z.core.$ZodIssue): string {
  const [member] = path;
  const what = code === "invalid_type" && /undefined/.test(message) ? "is missing" : message;
  return `${kind}: ${member === undefined ? "" : `"${String(member)}" `}${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}

/** The expression as the words of a problem show it. */
function wordsOf(about: readonly Expression[]): readonly string[] {
  return [...new Set(about.filter((one): one is PathExpression => one.kind === "path").map(({ text }) => text))];
}
