import { expect, it } from "vitest";
import { contractOf, judgeOf } from "./compiled-rules.ts";

it("checks a rule even if its field first appears after very many different sets of fields", () => {
  const fields = Array.from({ length: 10 }, (_, at) => `field${at}`);
  const rules = [
    { code: "late", kind: "forbidden-when", fields: ["late"] },
    { code: "early", kind: "requires", if: "field0", needs: ["field1"] },
    ...fields.map((value) => ({ code: "not_a", kind: "in-set", value, set: ["A"] })),
  ];
  const judge = judgeOf(contractOf(rules));
  const codesOf = (payload: Record<string, string>): readonly string[] =>
    judge(payload, new Set()).map(({ code }) => code);
  for (let bits = 0; bits < 1024; bits += 1) {
    const names = fields.filter((_, at) => (bits >> at) % 2 === 1);
    const expected = names.includes("field0") && !names.includes("field1") ? ["early"] : [];
    expect(codesOf(Object.fromEntries(names.map((name) => [name, "A"])))).toEqual(expected);
  }
  expect(codesOf({ late: "A" })).toEqual(["late"]);
  expect(codesOf({ field0: "A" })).toEqual(["early"]);
  expect(codesOf({})).toEqual([]);
});
