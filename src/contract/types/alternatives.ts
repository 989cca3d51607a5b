import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonScalar, type JsonScalar, type JsonValue } from "../../json/json-value.ts";
import { TREATMENTS } from "./schema-keywords.ts";
import {
  flattenSchemas,
  schemaNodeAt,
  readKeyword,
  readKeywords,
  resolveReference,
  omitKeywords,
  type Compilation,
  type SchemaNode,
} from "./schema-node.ts";
import { nullRule } from "./nullability.ts";
import { isNullOnly, isOfType, typesOf } from "./type-keyword.ts";

/** A schema with `oneOf` or `anyOf`, split into its options and the other keywords. */
export interface Alternatives {
  /** The options except null, each combined with the parts in `shared`. */
  readonly options: readonly (readonly SchemaNode[])[];
  /** All parts, without this `oneOf` or `anyOf` and its discriminator. */
  readonly rest: readonly SchemaNode[];
  /** The path of the `oneOf` or `anyOf`. */
  readonly path: AttrPath;
  readonly discriminator: JsonValue | undefined;
  /** The parts in `rest` that restrict values. They apply to all options. */
  readonly shared: readonly SchemaNode[];
}

/**
 * Extracts the options of the first `oneOf` or `anyOf` in the parts. Other `oneOf` and `anyOf` keywords remain in
 * `rest` and are handled later. Returns undefined if there is no such keyword, or if its value is invalid. Adds a
 * finding for an invalid value.
 */
export function alternativesOf(parts: readonly SchemaNode[], compilation: Compilation): Alternatives | undefined {
  const keyword = parts.flatMap((part) => UNION_KEYWORDS.filter((name) => readKeyword(part, name) !== undefined))[0];
  const holder = keyword === undefined ? undefined : parts.find((part) => readKeyword(part, keyword) !== undefined);
  if (keyword === undefined || holder === undefined) return undefined;

  const path = [...holder.path, keyword];
  const rest = parts.map((part) => (part === holder ? omitKeywords(part, keyword, "discriminator") : part));
  const written = readKeyword(holder, keyword);
  if (!isJsonArray(written) || written.length === 0) {
    const message = `"${keyword}" must be a non-empty list of schemas; this keyword is not enforced`;
    return compilation.findings.add("error", "bad-keyword", message, path);
  }
  const nodes = written.map((option, index) =>
    resolveReference(schemaNodeAt(option, [...path, index], compilation.findings), compilation),
  );
  const options = nodes.filter((node) => !isNullOnly(flattenSchemas([node], compilation)));
  const areObjects = options.every(
    (node) =>
      readKeywords(flattenSchemas([node], compilation), "type").some(({ value }) => value === "object") &&
      nullRule([node], compilation) === "forbidden",
  );
  const shared = rest.filter((part) => restricts(part, areObjects));
  return {
    options: options.map((node) => [node, ...shared]),
    rest,
    path,
    discriminator: compilation.direction === "reply" ? undefined : readKeyword(holder, "discriminator"),
    shared,
  };
}

const UNION_KEYWORDS = ["oneOf", "anyOf"] as const;

/**
 * Whether a part restricts values. Annotations, rules and `nullable` do not, and neither does `type: object` if every
 * option declares it.
 */
function restricts(part: SchemaNode, areObjects: boolean): boolean {
  return Object.keys(part.schema).some(
    (keyword) =>
      !part.omit.includes(keyword) &&
      keyword !== "nullable" &&
      RESTRICTING.has(TREATMENTS.get(keyword)?.as) &&
      !(areObjects && keyword === "type" && part.schema["type"] === "object"),
  );
}

const RESTRICTING: ReadonlySet<string | undefined> = new Set(["enforced", "asserted"]);

/**
 * Returns the combined choices if each option is only a list of choices. Returns undefined if any option is more than a
 * list of choices, if there is a discriminator, or if a `oneOf` repeats a choice.
 */
export function mergedChoices(
  { options, discriminator, path }: Alternatives,
  compilation: Compilation,
): readonly JsonScalar[] | undefined {
  if (discriminator !== undefined) return undefined;
  const choices: JsonScalar[] = [];
  for (const option of options) {
    const parts = flattenSchemas(option, compilation);
    const listed = readKeywords(parts, "enum");
    const [part, second] = parts;
    if (part === undefined || second !== undefined || !isJsonArray(listed[0]?.value)) return undefined;
    if (!listed[0].value.every(isJsonScalar) || restrictsChoices(part, listed[0].value, compilation)) return undefined;
    for (const choice of listed[0].value) choices.push(choice);
  }
  const distinct = new Set(choices.filter((choice) => choice !== null));
  const repeats = choices.filter((choice) => choice !== null).length > distinct.size;
  return repeats && path.at(-1) === "oneOf" ? undefined : [...distinct];
}

/**
 * Whether a keyword next to `enum` may exclude a choice. If every choice has the declared type, the type excludes none
 * of them.
 */
function restrictsChoices(part: SchemaNode, choices: readonly JsonScalar[], compilation: Compilation): boolean {
  const siblings = Object.keys(part.schema).filter(
    (keyword) => keyword !== "enum" && keyword !== "nullable" && !part.omit.includes(keyword),
  );
  if (siblings.some((keyword) => keyword !== "type" && RESTRICTING.has(TREATMENTS.get(keyword)?.as))) return true;
  const { allowed } = typesOf([part], compilation);
  return !choices.every((choice) => choice === null || isOfType(choice, allowed));
}
