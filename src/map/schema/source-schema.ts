import type { JsonObject } from "../../json/json-value.ts";
import { closedObject, PIVOT_SCHEMA } from "./leaf-schema.ts";

const COLUMN: JsonObject = { type: "string", minLength: 1 };
/** A column, optionally with the type of its cells. */
const ORDER: JsonObject = {
  anyOf: [
    COLUMN,
    closedObject({ column: COLUMN, as: { enum: ["number", "text"] }, date: { type: "string" }, pivot: PIVOT_SCHEMA }, [
      "column",
    ]),
  ],
};

/** A choice of rows: `last`, `last by CHANGED`, `{ last: CHANGED, per: MPAN }`. */
const CHOICE: JsonObject = {
  anyOf: [
    { type: "string", pattern: "^\\s*(first|last)(\\s+by\\s+\\S.*)?$" },
    closedObject({ first: ORDER, last: ORDER, per: COLUMN }),
  ],
};

const TEXTS: JsonObject = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };

/** The options of a source, by name, as documented in docs/mapping.md. */
export const SOURCE_PROPERTIES: Readonly<Record<string, JsonObject>> = {
  files: { ...TEXTS, description: "A path, a glob, or a list of them" },
  sheet: { ...COLUMN, description: "The sheet to read if the path of a workbook does not name a sheet" },
  key: {
    ...COLUMN,
    description: "The column that identifies a row; required if the `on` of a child source names only one column",
  },
  parent: { type: "string", description: "The source that contains the parent rows of these rows" },
  on: {
    description:
      "The column of this source that contains the parent's key; { CUST_ID: CUSTOMER } also names the parent's column",
    anyOf: [COLUMN, { type: "object", minProperties: 1, maxProperties: 1, additionalProperties: COLUMN }],
  },
  orderBy: { ...ORDER, description: "The column that orders the rows of one parent" },
  distinct: {
    type: "boolean",
    description: "If several rows of the same parent have identical cells, use only the first",
  },
  pick: { ...CHOICE, description: "The rows to use if a parent has several rows" },
  rename: {
    description: "Names for columns of CSV files and sheets, by column number (counted from 1)",
    type: "object",
    additionalProperties: false,
    patternProperties: { "^[1-9][0-9]{0,5}$": { type: "string", minLength: 1 } },
  },
  asOf: {
    description:
      "Where the date of a row's content comes from: a column, the file's name, or the file's modification date; older content does not replace newer content",
    type: "object",
    additionalProperties: false,
    properties: {
      column: COLUMN,
      date: { type: "string" },
      fileName: { type: "string", description: "The pattern of the date in the file name" },
      fileModified: {
        const: true,
        description: "Use the date and time at which the file was last modified, in whole seconds",
      },
      zone: { type: "string" },
    },
    oneOf: [
      { required: ["column", "date"] },
      { required: ["fileName"] },
      { required: ["fileModified"], maxProperties: 1 },
    ],
  },
};

/** A source. The files of a source without options come from the command line. */
export const SOURCE_SCHEMA: JsonObject = {
  type: ["object", "null"],
  additionalProperties: false,
  properties: SOURCE_PROPERTIES,
};
