import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { type Draw, times } from "./draw.ts";
import { randomScalar, randomText, type ScalarSpec } from "./random-scalar.ts";

export type Spec = ScalarSpec | ObjectSpec | ListSpec | VariantsSpec;

export interface ObjectSpec {
  readonly kind: "object";
  readonly schema: JsonObject;
  readonly fields: readonly FieldSpec[];
  /** Whether undocumented properties, which have the type text, are allowed. */
  readonly isOpen: boolean;
}

export interface FieldSpec {
  readonly name: string;
  readonly spec: Spec;
  readonly required: boolean;
}

export interface ListSpec {
  readonly kind: "list";
  readonly schema: JsonObject;
  readonly items: Spec;
}

export interface VariantsSpec {
  readonly kind: "variants";
  readonly schema: JsonObject;
  /** The discriminator property; undefined if there is none. */
  readonly property: string | undefined;
  readonly options: readonly { readonly tag: string; readonly object: ObjectSpec }[];
}

export interface RandomContract {
  readonly document: JsonObject;
  readonly body: ObjectSpec;
  readonly key: ScalarSpec;
  /** Whether the operation has a required query parameter. */
  readonly parameter: boolean;
}

interface Drawing {
  readonly draw: Draw;
  readonly is31: boolean;
  readonly components: Record<string, JsonObject>;
}

const OUTSIDE = "import-thing";

export function randomContract(draw: Draw): RandomContract {
  const is31 = draw.chance(0.5);
  draw.note(is31 ? "OpenAPI 3.1" : "OpenAPI 3.0");
  const components: Record<string, JsonObject> = {};
  const drawing = { draw, is31, components };
  const key = randomKey(draw);
  const inner = randomObject(
    drawing,
    { depth: 0, names: ["ref", ...times(draw.between(3, 6), (at) => `field_${"qzakmbxcg"[at] ?? at}`)] },
    key,
  );
  const isWrapped = draw.chance(0.15);
  if (isWrapped) draw.note("x-migrate-wrap");
  const ruled = draw.chance(0.05)
    ? { "x-rules": [{ code: "needs_ref", kind: "requires", if: "field_q", needs: ["ref"] }] }
    : {};
  if ("x-rules" in ruled) draw.note("x-rules");
  components["Thing"] = { ...inner.schema, ...ruled };
  const thing: JsonObject = { $ref: "#/components/schemas/Thing" };
  const schema: JsonObject = isWrapped
    ? { type: "object", required: ["payload"], properties: { payload: thing } }
    : thing;
  const parameter = draw.chance(0.04);
  if (parameter) draw.note("parameters");
  const operation: JsonObject = {
    operationId: OUTSIDE,
    "x-migrate-key": "ref",
    ...(isWrapped && { "x-migrate-wrap": "payload" }),
    ...(parameter && {
      parameters: [{ name: "mode", in: "query", required: true, schema: { type: "string", maxLength: 6 } }],
    }),
    requestBody: { content: { "application/json": { schema } } },
    responses: { "201": { description: "made" } },
  };
  const document = {
    openapi: is31 ? "3.1.0" : "3.0.3",
    info: { title: "Random", version: "1" },
    paths: { "/data-import/things/": { post: operation } },
    components: { schemas: components },
  };
  return { document, body: inner, key, parameter };
}

function randomKey(draw: Draw): ScalarSpec {
  const number = draw.chance(0.1);
  if (number) draw.note("key of digits");
  const schema: JsonObject = number
    ? { type: "integer" }
    : { type: "string", ...(draw.chance(0.5) && { maxLength: 14 }) };
  return { kind: number ? "integer" : "text", schema, good: (from) => String(from.between(1, 99_999)), isLoose: false };
}

interface Place {
  readonly depth: number;
  readonly names: readonly string[];
}

function randomObject(drawing: Drawing, { depth, names }: Place, key?: ScalarSpec): ObjectSpec {
  const { draw } = drawing;
  const fields = names.map((name): FieldSpec => {
    const spec = key !== undefined && name === "ref" ? key : maybeNullable(randomSpec(drawing, depth + 1), drawing);
    return { name, spec, required: name === "ref" ? draw.chance(0.7) : draw.chance(0.3) };
  });
  const isOpen = draw.chance(0.06);
  if (isOpen) draw.note("additionalProperties");
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = Object.fromEntries(fields.map(({ name, spec }) => [name, withDefault(spec, draw)]));
  const [first] = names;
  const asserted = draw.chance(0.04) && first !== undefined ? { minProperties: 1 } : {};
  if ("minProperties" in asserted) draw.note("minProperties");
  const schema: JsonObject = {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: { ...properties, ...(draw.chance(0.06) && { platform_id: { type: "string", readOnly: true } }) },
    ...(isOpen && { additionalProperties: { type: "string", maxLength: 8 } }),
    ...asserted,
  };
  return { kind: "object", schema, fields, isOpen };
}

/** Adds a default, which has no effect on the sent payload. */
function withDefault({ schema, kind }: Spec, draw: Draw): JsonObject {
  return kind === "text" && draw.chance(0.05) ? { ...schema, default: "contract" } : schema;
}

function maybeNullable(spec: Spec, { draw, is31 }: Drawing): Spec {
  const { type } = spec.schema;
  const isChoice = spec.schema["enum"] !== undefined;
  if (typeof type !== "string" || isChoice || !draw.chance(0.12)) return spec;
  draw.note("nullable");
  return { ...spec, schema: { ...spec.schema, ...(is31 ? { type: [type, "null"] } : { nullable: true }) } };
}

const FIELD_NAMES = ["zip", "alpha", "mid", "Beta", "été", "a-b", "x_1", "value", "from", "each"];

function fieldNames({ draw }: Drawing): readonly string[] {
  const first = draw.between(0, FIELD_NAMES.length - 1);
  return times(draw.between(1, 4), (at) => FIELD_NAMES[(first + at) % FIELD_NAMES.length] ?? "zip");
}

function randomSpec(drawing: Drawing, depth: number): Spec {
  const { draw } = drawing;
  if (depth > 3 || draw.chance(depth === 1 ? 0.7 : 0.82)) return randomScalar(draw);
  const make = draw.pick([nestedObject, nestedObject, randomList, randomList, randomList, randomVariants]);
  const spec = make(drawing, depth);
  draw.note(`type ${spec.kind}`);
  return spec;
}

function nestedObject(drawing: Drawing, depth: number): ObjectSpec {
  const object = randomObject(drawing, { depth, names: fieldNames(drawing) });
  if (!drawing.draw.chance(0.3)) return object;
  drawing.draw.note("allOf");
  return { ...object, schema: { allOf: [reference(object, drawing), { description: "of several parts" }] } };
}

function randomList(drawing: Drawing, depth: number): ListSpec {
  const { draw } = drawing;
  const items = draw.chance(0.35)
    ? randomScalar(draw)
    : draw.chance(0.2)
      ? randomVariants(drawing, depth)
      : nestedObject(drawing, depth);
  const isUnique = draw.chance(0.08);
  if (isUnique) draw.note("uniqueItems");
  const schema: JsonObject = {
    type: "array",
    items: items.schema,
    ...(draw.chance(0.1) && { minItems: 1 }),
    ...(draw.chance(0.15) && { maxItems: draw.between(2, 4) }),
    ...(isUnique && { uniqueItems: true }),
  };
  draw.note(items.kind === "object" || items.kind === "variants" ? "list of objects" : "list of scalars");
  return { kind: "list", schema, items };
}

function reference(object: ObjectSpec, { components }: Drawing): JsonObject {
  const name = `Part${Object.keys(components).length}`;
  components[name] = object.schema;
  return { $ref: `#/components/schemas/${name}` };
}

function randomVariants(drawing: Drawing, depth: number): VariantsSpec {
  const { draw } = drawing;
  const property = draw.chance(0.75) ? "sort" : undefined;
  const common: FieldSpec = { name: "common", spec: randomText(draw), required: false };
  const options = ["E", "G"].map((tag) => {
    const { fields: drawn, ...object } = randomObject(drawing, { depth: depth + 1, names: [`only_${tag}`] });
    const own = {
      ...object,
      fields: drawn.map((field) => ({ ...field, required: field.required && draw.chance(0.4) })),
    };
    const sort: ScalarSpec = {
      kind: "choice",
      schema: { type: "string", enum: [tag] },
      good: () => tag,
      isLoose: false,
    };
    const described = {
      name: "sort",
      spec: property === undefined ? { ...sort, schema: { type: "string", const: tag } } : sort,
      required: true,
    };
    const fields = [described, common, ...own.fields];
    const properties = Object.fromEntries(fields.map(({ name, spec }): [string, JsonValue] => [name, spec.schema]));
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    return { tag, object: { ...own, isOpen: false, fields, schema: { type: "object", required, properties } } };
  });
  const references = options.map(({ object }) => reference(object, drawing));
  const mapping = Object.fromEntries(
    options.map(({ tag }, at): [string, JsonValue] => [tag, references[at]?.["$ref"] ?? ""]),
  );
  const keyword = draw.pick(["oneOf", "anyOf"]);
  draw.note(`${keyword} ${property === undefined ? "without" : "with"} discriminator`);
  const discriminator = property === undefined ? {} : { discriminator: { propertyName: property, mapping } };
  return { kind: "variants", property, options, schema: { [keyword]: references, ...discriminator } };
}
