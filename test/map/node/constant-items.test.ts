import { describe, expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { compileValidator } from "../../../src/validate/compile-validator.ts";
import { choice, compile, csvRow, list, object, rowOf, table, text } from "../rows.ts";

const point = object({ "id!": text, kind: text });

/** Returns a body whose list is required or optional. */
function bodyWith(points: FieldType, isRequired: boolean): FieldType {
  return object({ "id!": text, [isRequired ? "points!" : "points"]: list(points) });
}

const FORMS = [
  ["alone", "{ id: POINT, kind: { value: GAS } }"],
  ["with when", "{ when: { column: FUEL, in: [G] }, item: { id: POINT, kind: { value: GAS } } }"],
  ["with a default", "{ id: POINT, kind: { from: KIND, default: GAS } }"],
] as const;
const LISTS = [
  ["optional", false],
  ["required", true],
] as const;
const CASES = LISTS.flatMap(([need, isRequired]) => FORMS.map(([form, item]) => ({ need, isRequired, form, item })));
const row = (id: string) => rowOf({ A: "1", FUEL: "G", KIND: "", POINT: id, OTHER: "O" });

describe.each(CASES)("an item with a constant in a list that is $need, $form", ({ isRequired, item }) => {
  const body = bodyWith(point, isRequired);

  test("is omitted if it lacks a required field", () => {
    const mapping = compile(`payload: { id: A, points: [${item}, { id: OTHER }] }`, body);
    expect(mapping.map(row("")).payload).toEqual({ id: "1", points: [{ id: "O" }] });
    expect(mapping.map(row("P")).payload).toEqual({ id: "1", points: [{ id: "P", kind: "GAS" }, { id: "O" }] });
  });

  test("is omitted together with the list if it is the only item", () => {
    const mapping = compile(`payload: { id: A, points: [${item}] }`, body);
    expect(mapping.map(row("")).payload).toEqual({ id: "1" });
    const found = compileValidator(body, { keepValues: false })(mapping.map(row("")).payload);
    expect(found.map(({ attr, code }) => ({ attr, code }))).toEqual(
      isRequired ? [{ attr: "points", code: "required" }] : [],
    );
  });

  test("has no origin if it is omitted", () => {
    const mapping = compile(`payload: { id: A, points: [${item}, { id: OTHER }] }`, body);
    expect(mapping.origins(row("")).map(({ attr }) => attr)).toEqual(["id", "points.0.id"]);
    expect(mapping.locate(row(""), ["points", 0, "id"])).toMatchObject({ column: "OTHER" });
  });

  test("is sent if it is complete", () => {
    const complete = compile(
      `payload: { id: A, points: [${item}] }`,
      bodyWith(object({ id: text, "kind!": text }), isRequired),
    );
    expect(complete.map(row("")).payload).toEqual({ id: "1", points: [{ kind: "GAS" }] });
  });
});

test.each(LISTS)("an incomplete item of a child row is sent in a list that is %s", (_, isRequired) => {
  const sources =
    "sources: { accounts: { files: a.csv, key: ID }, points: { files: p.csv, parent: accounts, on: ID } }";
  const payload = "payload: { id: ID, points: [{ each: points, item: { id: POINT, kind: { value: GAS } } }] }";
  const mapping = compile(`${sources}\n${payload}`, bodyWith(point, isRequired));
  const child = csvRow(table("p.csv", ["ID", "POINT"]), 2, ["1", ""]);
  const account = csvRow(table("a.csv", ["ID"]), 2, ["1"], { points: [child] });
  expect(mapping.map(account).payload).toEqual({ id: "1", points: [{ kind: "GAS" }] });
});

test.each(LISTS)("an incomplete constant item of a union is omitted in a list that is %s", (_, isRequired) => {
  const gas = object({ "kind!": choice("GAS"), "id!": text });
  const power = object({ "kind!": choice("POWER"), "id!": text });
  const mapping = new Map([
    ["GAS", gas],
    ["POWER", power],
  ]);
  const union: FieldType = {
    kind: "union",
    nullable: false,
    deprecated: false,
    validators: [],
    options: [gas, power],
    discriminator: { property: "kind", mapping },
  };
  const compiled = compile(
    "payload: { id: A, points: [{ kind: { value: GAS }, id: POINT }] }",
    bodyWith(union, isRequired),
  );
  expect(compiled.map(row("")).payload).toEqual({ id: "1" });
});
