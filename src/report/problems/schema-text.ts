import { plainText } from "../../text/plain-text.ts";

export function schemaText(keyword: string, name: string | undefined): string {
  const about = name === undefined ? "" : ` (about "${plainText(name)}")`;
  const meaning = SCHEMA_TEXT[keyword];
  const sentence = `Does not satisfy "${keyword}" of the contract's schema${about}`;
  return meaning === undefined ? `${sentence}.` : `${sentence}: ${meaning}.`;
}

const SCHEMA_TEXT: Readonly<Record<string, string | undefined>> = {
  oneOf: "the value must match exactly one of the alternatives",
  anyOf: "the value must match one of the alternatives",
  not: "values of this form are not allowed",
  "false schema": "no value is allowed here",
  contains: "too few or too many items match the required form",
  propertyNames: "the name of the property is not allowed",
  minProperties: "too few properties",
  maxProperties: "too many properties",
};
