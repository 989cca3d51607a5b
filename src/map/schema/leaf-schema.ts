import type { JsonObject } from "../../json/json-value.ts";

const COLUMN: JsonObject = { type: ["string", "number"], description: "A column (CSV), or a path (JSON)" };
const CODE: JsonObject = { type: ["string", "number", "boolean"] };
const CODES: JsonObject = { anyOf: [CODE, { type: "array", minItems: 1, items: CODE }] };
const SEPARATOR: JsonObject = { type: "string", minLength: 1, maxLength: 1 };
const SCALAR: JsonObject = { type: ["string", "number", "boolean", "null"] };

/** Returns the schema of an object with only these properties. */
export function closedObject(properties: JsonObject, required?: readonly string[]): JsonObject {
  return { type: "object", additionalProperties: false, ...(required && { required }), properties };
}

/** A condition such as `{ column: FUEL, in: [G] }`. */
export const CONDITION_SCHEMA: JsonObject = {
  description: "Only for rows with one of these values in the column",
  ...closedObject({ column: { type: "string" }, in: CODES }, ["column", "in"]),
};

const REPLACEMENT: JsonObject = {
  anyOf: [
    { type: "array", minItems: 2, maxItems: 2, items: { type: "string" } },
    closedObject({ from: { type: "string" }, pattern: { type: "string" }, to: { type: "string" } }, ["to"]),
  ],
};

const DATE_PATTERN: JsonObject = { type: "string", examples: ["dd/MM/yyyy", "yyyyMMdd", "dd-MMM-yy"] };
const DATE_PATTERNS: JsonObject = { anyOf: [DATE_PATTERN, { type: "array", minItems: 1, items: DATE_PATTERN }] };

export const PIVOT_SCHEMA: JsonObject = {
  description: "The highest two-digit year that is read as 20yy; higher years are read as 19yy. Default: 68",
  type: "integer",
  minimum: 0,
  maximum: 99,
};

/** The options of a leaf, by name, as documented in docs/mapping.md. */
export const LEAF_PROPERTIES: Readonly<Record<string, JsonObject>> = {
  from: {
    description:
      "A column, or a list of columns: the first column with a value is used, or all values are joined (`join`)",
    anyOf: [COLUMN, { type: "array", minItems: 1, maxItems: 100, items: COLUMN }],
  },
  value: { description: "A constant; ${supplier} is replaced by the import supplier's code" },
  default: { ...SCALAR, description: "The constant for an empty cell" },
  when: CONDITION_SCHEMA,
  trim: { type: "boolean", description: "Remove whitespace at both ends; default: true" },
  join: { type: "string", description: "Text between the joined columns of `from`" },
  split: { type: "string", minLength: 1, description: "Text between the parts of a cell that becomes a list" },
  replace: {
    description: "Replacements for literal text (from, to) or for matches of a regular expression (pattern, to)",
    anyOf: [
      REPLACEMENT,
      { type: "array", minItems: 1, items: REPLACEMENT },
      { type: "object", minProperties: 1, additionalProperties: { type: "string" } },
    ],
  },
  upper: { type: "boolean", description: "Convert to upper case" },
  lower: { type: "boolean", description: "Convert to lower case" },
  keepEmpty: { type: "boolean", description: 'Send an empty cell as ""' },
  lookup: {
    description: "The value for each code, or the path of a CSV file with codes and values",
    anyOf: [{ type: "string" }, { type: "object", additionalProperties: SCALAR }],
  },
  otherwise: {
    enum: ["error", "keep", "empty"],
    description: "How to handle a code that is not in `lookup`; default: error",
  },
  true: { ...CODES, description: "The values that mean true" },
  false: { ...CODES, description: "The values that mean false" },
  date: { ...DATE_PATTERNS, description: "The pattern of a date, or a list of patterns: d dd M MM MMM MMMM yy yyyy" },
  datetime: {
    ...DATE_PATTERNS,
    description:
      "The pattern of a date and time, or a list of patterns: as for `date`, with H HH m mm s ss S SS SSS XXX",
  },
  zone: { type: "string", description: "Time zone of the times in the source", examples: ["Europe/London", "UTC"] },
  pivot: PIVOT_SCHEMA,
  number: {
    description: "The number format of the source; leading zeros are removed",
    ...closedObject({ decimal: SEPARATOR, group: SEPARATOR }),
  },
  call: { type: "string", description: "The name of a function in the module given by `functions`" },
};

export const LEAF_SCHEMA: JsonObject = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  properties: LEAF_PROPERTIES,
};

/** The schema of an entry without a known contract: a column, a leaf, an object of entries, or a list of them. */
export const ENTRY_SCHEMA: JsonObject = {
  anyOf: [
    { type: "string" },
    { type: "object", additionalProperties: true },
    { type: "array", items: { type: ["string", "object", "array"] } },
  ],
};
