import { describe, expect, test } from "vitest";
import { constantOf, conversionTo } from "../../../src/map/leaf/conversion.ts";
import {
  anything,
  boolean,
  choice,
  date,
  decimal,
  integer,
  list,
  nullableText,
  number,
  object,
  text,
  union,
} from "../rows.ts";

const fields = object({ a: text });

describe("the conversion of a cell", () => {
  test.each([
    ["the first type of a union, if no type fits", union([boolean, integer]), "x", "boolean"],
    ["a scalar of a union that also has an object", union([fields, integer]), "x", "integer"],
    ["a scalar of a union that also has a list", union([list(text), integer]), "x", "integer"],
    ["an object for a union without scalars", union([fields, list(text)]), "x", "object"],
    ["an object", fields, "x", "object"],
    ["an object for a list", list(text), "x", "object"],
    ["a string for a numeric choice, if the cell contains JSON", choice(0, 1), { a: 1 }, "string"],
    ["a string for a choice, if the cell contains JSON", choice("A"), { a: 1 }, "string"],
    ["an integer, if the cell contains JSON", integer, [1], "integer"],
    ["a boolean, if the text is longer", boolean, "falsely", "boolean"],
    ["an exact number, if an integer has too many digits", integer, "9007199254740993", "exact number"],
    ["an exact number, if a number has too many digits", number, "0.12345678901234567890", "exact number"],
    ["an exact number, if a number is too large", number, "-1e400", "exact number"],
    ["an integer, if the text is a fraction", integer, "9007199254740993.5", "integer"],
    ["an integer, if the text has leading zeros", integer, "009007199254740993", "integer"],
  ])("fails with the expected type: %s", (_, type, cell, expected) =>
    expect(conversionTo(type)(cell)).toEqual({ kept: cell, finding: { code: "invalid", expected } }),
  );
  test.each([
    ["a number before any text", union([anything, integer]), "12", 12],
    ["a number before a string", union([text, integer]), "12", 12],
    ["a number if it is not among the choices before it", union([choice("AUTO"), integer]), "12", 12],
    ["a choice before other types", union([choice("12"), integer]), "12", "12"],
    ["the choices of several types", union([choice(1), choice(2), boolean]), "2", 2],
    ["the unchanged text if no type accepts it and one type has choices", union([integer, choice("AUTO")]), "x", "x"],
    ["any text only as a last resort", union([anything, boolean]), "x", "x"],
    ["a number among the choices in another notation", choice(0.5, 1, 1.5), "1.50", 1.5],
    ["the text of a number that is not a choice", choice(0.5, 1, 1.5), "1.51", "1.51"],
    ["a choice that is a string before a number with the same text", choice(1, "1"), "1", "1"],
    ["the boolean true, regardless of upper and lower case", boolean, "True", true],
    ["the boolean false, regardless of upper and lower case", boolean, "FALSE", false],
  ])("prefers %s", (_, type, cell, value) => expect(conversionTo(type)(cell)).toBe(value));
});

describe("a constant", () => {
  test.each([
    ["a string for an integer", integer, "x", "is not an integer"],
    ["a string for a decimal", decimal, "x", "is not a decimal"],
    ["a string for a union", union([decimal, date]), "x", "is not a decimal"],
    ["a string for an object", fields, "x", "is not an object"],
    ["a number for a string", text, 1, "must be in quotes, because the contract requires text"],
    ["a boolean for a string", text, true, "must be in quotes, because the contract requires text"],
    ["null", text, null, "is null, which the contract does not allow here"],
    ["a list", text, ["a"], "must be a string, a number, true or false"],
    [
      "a number for a choice with the same text",
      choice("1"),
      1,
      "must be in quotes, because the contract requires text",
    ],
    ["an unknown choice", choice("GAS"), "GASS", 'is not one of the contract\'s choices; did you mean "GAS"?'],
    ["an unknown number", choice(10, 20), 3000, "is not one of the contract's choices; the choices are: 10, 20"],
    [
      "an unknown string next to an empty choice",
      choice("A", ""),
      "XYZ",
      `is not one of the contract's choices; the choices are: A, ""`,
    ],
  ])("that does not fit its type has a fault: %s", (_, type, value, fault) =>
    expect(constantOf(type, value)).toEqual({ fault }),
  );
  test.each([
    ["null for a nullable type", nullableText, null, null],
    ["a list for any type", anything, [1], [1]],
    ["a string with digits for an integer", integer, "7", 7],
    ["a number for an integer", integer, 7, 7],
    ["a number for a choice", choice(7), 7, 7],
    ["a string for a numeric choice", choice(7), "7", 7],
  ])("is converted like a cell: %s", (_, type, written, value) => expect(constantOf(type, written)).toEqual({ value }));
});
