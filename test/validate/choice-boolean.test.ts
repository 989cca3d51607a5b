import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/json-value.ts";
import { boolean, choice, codes, problemsOf } from "./field-types.ts";

describe("choice:", () => {
  const WORDS = choice(["GAS", "", "1"]);
  const NUMBERS = choice([0, 1, 2], { nullable: true });

  it.each([
    [WORDS, "GAS", []],
    [WORDS, "", []],
    [WORDS, "gas", ["invalid_choice"]],
    [WORDS, " GAS", ["invalid_choice"]],
    [WORDS, 1, ["~coerced"]],
    [WORDS, true, ["invalid_choice"]],
    [WORDS, ["GAS"], ["invalid_choice"]],
    [WORDS, {}, ["invalid_choice"]],
    [WORDS, null, ["null"]],
    [NUMBERS, 2, []],
    [NUMBERS, "2", ["~coerced"]],
    [NUMBERS, 3, ["invalid_choice"]],
    [NUMBERS, null, []],
  ] as const)("with the type %j, the value %j has the problems %j", (type, value, expected) => {
    expect(codes(type, value)).toEqual(expected);
  });

  it("the problem lists the choices", () => {
    expect(problemsOf(choice(["A", 2, ""]), "B")).toMatchObject([{ code: "invalid_choice", choices: ["A", "2", ""] }]);
  });

  it("the problem lists a number and the same text only once", () => {
    expect(problemsOf(choice([1, "1", "a"]), "B")).toMatchObject([{ choices: ["1", "a"] }]);
  });
});

describe("boolean", () => {
  const COERCED: readonly JsonValue[] = [
    "true",
    "True",
    "TRUE",
    "t",
    "yes",
    "Y",
    "on",
    "1",
    1,
    "false",
    "F",
    "no",
    "off",
    0,
  ];
  it.each([true, false])("accepts %j unchanged", (value) => {
    expect(codes(boolean(), value)).toEqual([]);
  });
  it.each(COERCED)("accepts %j with a warning", (value) => {
    expect(problemsOf(boolean(), value)).toMatchObject([{ code: "coerced", to: "boolean", severity: "warning" }]);
  });
  it.each(["", "maybe", "null", 2, -1, [], {}])("rejects %j", (value) => {
    expect(codes(boolean(), value)).toEqual(["invalid"]);
  });
  it.each(["", "null", "NULL"])("accepts %j as null if null is allowed", (value) => {
    expect(problemsOf(boolean({ nullable: true }), value)).toMatchObject([{ code: "coerced", to: "null" }]);
  });
});
