import type {
  FieldType,
  ListType,
  NumberType,
  ObjectType,
  TextType,
  UnionType,
} from "../src/contract/types/field-type.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../src/json/json-value.ts";

/**
 * Selects a value in the payload and one of the mutations of this value. Both numbers can be any size: they are taken
 * modulo the number of choices.
 */
export interface Pick {
  readonly site: number;
  readonly mutation: number;
}

/** Returns the payload with one mutation, which usually makes it invalid. */
export function mutate(payload: JsonObject, type: FieldType, pick: Pick): JsonObject {
  const sites = sitesIn(payload, type, []);
  const site = sites[pick.site % sites.length];
  if (site === undefined) return payload;
  const mutations = mutationsOf(site);
  const changed = replaced(payload, site.path, mutations[pick.mutation % mutations.length]);
  return isJsonObject(changed) ? changed : payload;
}

interface Site {
  readonly path: readonly (string | number)[];
  readonly type: FieldType;
  readonly value: JsonValue;
}

function sitesIn(value: JsonValue, type: FieldType, path: Site["path"]): readonly Site[] {
  const here: Site = { path, type, value };
  if (type.kind === "union") {
    const tag = type.discriminator && isJsonObject(value) ? value[type.discriminator.property] : undefined;
    const option = typeof tag === "string" ? type.discriminator?.mapping.get(tag) : undefined;
    return option === undefined ? [here] : [here, ...sitesIn(value, option, path)];
  }
  if (type.kind === "list" && isJsonArray(value)) {
    return [here, ...value.flatMap((item, index) => sitesIn(item, type.items, [...path, index]))];
  }
  if (type.kind !== "object" || !isJsonObject(value)) return [here];
  const inside = Object.entries(value).flatMap(([name, each]) => {
    const property = type.properties.get(name);
    return property === undefined ? [] : sitesIn(each, property.type, [...path, name]);
  });
  return [here, ...inside];
}

/** `undefined` removes a field, and replaces an item of a list with null. */
type Mutation = JsonValue | undefined;

const WRONG_TYPES: readonly JsonValue[] = [true, 12, "text", [], {}, ["a"], [{}], { a: 1 }];

function mutationsOf(site: Site): readonly Mutation[] {
  const own = ownMutations(site);
  return site.path.length === 0 ? own : [undefined, null, ...own, ...own, ...WRONG_TYPES];
}

function ownMutations({ type, value }: Site): readonly Mutation[] {
  if (type.kind === "text") return textMutations(type, value);
  if (type.kind === "list") return listMutations(type, value);
  if (type.kind === "object") return objectMutations(type, value);
  if (type.kind === "union") return ["text", {}, ...tagged(type, value)];
  if (type.kind === "choice") return choiceMutations(type.choices.map(String));
  if (type.kind === "integer" || type.kind === "number") return numberMutations(type);
  return BAD[type.kind];
}

/** For each kind of value, unusual values that real extracts contain. The platform accepts some of them. */
const BAD = {
  any: [],
  boolean: ["true", "False", "YES", "n", "1", "maybe", "", 0, 1, 2, " true "],
  decimal: [
    "",
    " ",
    "-",
    ".",
    "-.",
    "1e5",
    "NaN",
    "Infinity",
    "1,234.50",
    "£5",
    "five",
    "0x10",
    "٣",

    "1.2345678",
    "99999999999999",
    "99999999999.99",
    "0.00001",
    "-1",
    "-0",
    "12.",
    ".5",
    " 5 ",
    "007.50",
    "000000000000012",
    12.5,
    -3,
    0,
    1e21,
    1.5e-7,
    123_456_789_012,
  ],
  date: [
    "2024-02-30",
    "2023-02-29",
    "1900-02-29",
    "2024-13-01",
    "2024-00-10",
    "2024-01-00",
    "0000-01-01",
    "01/02/2024",
    "24-01-01",
    "2024-1-1",
    "20240101",
    "2024-01-01T00:00:00Z",
    " 2024-01-01",
    "",
    " ",
    20_240_101,
  ],
  datetime: [
    "2024-01-31T09:30:00",
    "2024-02-30",
    "2024-02-30T09:30:00Z",
    "2024-01-31T24:00:00Z",
    "2016-12-31T22:59:60Z",

    "2024-01-31T09:30Z",
    "2024-01-31t09:60:00z",
    "2024-01-31 09:30:00Z",
    "2024-01-31T09:30:00+24:00",
    "",
    1_706_693_400,
  ],
  time: ["24:00", "9:30", "09:60", "23:59:60", "0930", "09:30 am", "", " ", 930],
};

const BAD_PATHS = [
  "../x",
  "a/../b",
  "a/./b",
  "a\\b",
  "\\\\host\\x",
  "/etc/passwd",
  "~/x",
  "C:\\x",
  "file:///x",
  "s3://b/x",
  "%2e%2e%2fx",
  "a/%252e/x",
  "a//b",
  "a/",
  "a./b",
  "a/b.",
  "a /b",
  "a\nb",
  "cafe\u0301.pdf",
  "x".repeat(1025),
  "ä".repeat(513),
];
const BAD_EMAILS = ["nobody", "a b@example.com", "@example.com", "a@", "a@b@c.com", "a..b@example.com"];

function textMutations({ maxLength = 50, format, documentPath }: TextType, value: JsonValue): readonly Mutation[] {
  const text = typeof value === "string" ? value : "";
  const plain = [
    "",
    "   ",
    "x".repeat(maxLength + 1),
    "😀".repeat(maxLength),
    `  ${text} `,
    `${text}!?`,
    "a\0b",
    "a\ud800b",
    5,
  ];
  if (documentPath) return [...plain, ...BAD_PATHS];
  if (format === "email") return [...plain, ...BAD_EMAILS];
  return format === "uuid" ? ["", "not-a-uuid", text.replaceAll("-", ""), `{${text}}`, ` ${text}`] : plain;
}

function numberMutations({ minimum, maximum, multipleOf }: NumberType): readonly Mutation[] {
  const beyond = [minimum, maximum].flatMap((limit) =>
    limit === undefined ? [] : [limit.value - 1, limit.value, limit.value + 1],
  );
  const steps = multipleOf === undefined ? [] : [multipleOf / 3, String(multipleOf * 3)];
  return [...beyond, ...beyond.map(String), ...steps, 1.5, "1.5", "1.0", " 7 ", "1e1", "seven", "", " ", "NaN", true];
}

function listMutations({ maxItems = 50 }: ListType, value: JsonValue): readonly Mutation[] {
  const items = isJsonArray(value) ? value : [];
  const many = Array.from({ length: Math.min(maxItems, 50) + 1 }, (_, index) => items[index % items.length] ?? "x");
  return [[], many, [...items, ...items], [...items, null], [...items, "text"], [...items, {}], { 0: "a" }];
}

function objectMutations({ properties }: ObjectType, value: JsonValue): readonly Mutation[] {
  const object = isJsonObject(value) ? value : {};
  const [first = "a"] = properties.keys();
  return [{}, { ...object, undocumented: 1 }, { ...object, [`${first}s`]: null }, { ...object, constructor: "x" }];
}

function choiceMutations(choices: readonly string[]): readonly Mutation[] {
  return ["NOPE", "", 99, ...choices, ...choices.slice(0, 1).flatMap((choice) => [` ${choice}`, choice.toLowerCase()])];
}

function tagged({ discriminator }: UnionType, value: JsonValue): readonly JsonValue[] {
  if (discriminator === undefined || !isJsonObject(value)) return [];
  return ["NOPE", null, 1, {}].map((tag) => ({ ...value, [discriminator.property]: tag }));
}

function replaced(value: JsonValue, path: Site["path"], by: Mutation): Mutation {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (isJsonArray(value)) {
    return value.map((item, index) => (index === step ? (replaced(item, rest, by) ?? null) : item));
  }
  if (!isJsonObject(value)) return value;
  const changed = replaced(value[step] ?? null, rest, by);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (name !== String(step)) return [[name, each]];
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}
