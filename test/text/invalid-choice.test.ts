import { expect, it } from "vitest";
import { invalidChoice } from "../../src/text/invalid-choice.ts";

const CODES = ["DOMESTIC", "BUSINESS"];

it.each(["X7", "PREPAY_2", "E-7", "1234"])("an invalid choice shows the unknown code %s", (code) => {
  expect(invalidChoice(code, CODES)).toEqual({ code: "invalid_choice", choices: CODES, found: code });
});

it.each([
  "Smith",
  "07700900123",
  "19700102",
  "a@b.example",
  "FLAT 2",
  "",
  "A".repeat(25),
  "\u202EXYZ",
  { name: "X" },
  null,
])("an invalid choice hides %j, which could be personal data", (value) => {
  expect(invalidChoice(value, CODES)).toEqual({ code: "invalid_choice", choices: CODES });
});

it("an invalid choice shows lower-case letters if the choices contain some", () => {
  expect(invalidChoice("monthly", ["weekly"])).toMatchObject({ found: "monthly" });
});
