import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, type JsonScalar, type JsonValue } from "../../json/json-value.ts";
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
import { isNullOnly } from "./type-keyword.ts";

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
 * Returns the schema that is equivalent to all options: the only option, or the combined list if each option is only a
 * list of choices. Returns undefined if there is no such schema, if there is a discriminator, or if a `oneOf` repeats a
 * choice.
 */
export function equivalentSchema(
  { options, discriminator, path }: Alternatives,
  compilation: Compilation,
): readonly SchemaNode[] | undefined {
  if (discriminator !== undefined) return undefined;
  const [only, second] = options;
  if (only !== undefined && second === undefined) return only;
  const lists = options.map(([option]) => option && choicesOf(option, compilation));
  if (!lists.every((list) => list !== undefined)) return undefined;
  const choices = lists.flat();
  const distinct = new Set(only === undefined ? [null] : choices);
  const known = choices.filter((choice) => choice !== null);
  const isRepeated = path.at(-1) === "oneOf" && known.length > new Set(known).size;
  return distinct.size === 0 || isRepeated ? undefined : [{ schema: { enum: [...distinct] }, path, omit: [] }];
}

/** Returns the choices of an option, including null; undefined if the option is more than a list of choices. */
function choicesOf(option: SchemaNode, compilation: Compilation): readonly JsonScalar[] | undefined {
  const parts = flattenSchemas([option], compilation);
  const has = (keyword: string): boolean => readKeywords(parts, keyword).length > 0;
  // Other options may contain the schema that is being compiled.
  if (!["enum", "const"].some(has) || UNION_KEYWORDS.some(has)) return undefined;
  const type = compilation.compileOption([option]);
  if (type.kind !== "choice" || type.assertions !== undefined || type.rules !== undefined) return undefined;
  return type.nullable ? [...type.choices, null] : type.choices;
}
