import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json/json-value.ts";
import type { PlatformProblem } from "../../src/model/problem.ts";
import { shapeOf } from "../../src/text/shape.ts";
import { locateProblems } from "../../src/upload/locate-problems.ts";

/** Locates a problem at this attr, with this detail, in the payload. Returns the detail that is shown. */
function shownDetail(attr: string, detail: string, value: string): string | undefined {
  const problem = { attr, severity: "error", by: "platform", code: "invalid", detail } as const;
  const payload = { name: value, customers: [{ name: value }] };
  return locateProblems([problem], { payload, locate: () => undefined })[0]?.detail;
}

test.each(["name", "customers"])("a value that contains replacement patterns is masked at %s", (attr) => {
  const patterns = fc.constantFrom("$&", "$`", "$'", "$$", "$1", "Person", " ");
  const values = fc.string({ unit: patterns, minLength: 3, maxLength: 5 }).filter((value) => value.trim() !== "");
  fc.assert(
    fc.property(values, (value) => {
      expect(shownDetail(attr, `"${value}" is not a name`, value)).toBe(`"${shapeOf(value)}" is not a name`);
    }),
  );
});

test("a value of spaces masks nothing (the push used to run out of memory)", () => {
  for (const value of ["   ", "\u00a0\u00a0\u00a0", " \t\n"])
    for (const attr of ["name", "customers"])
      expect(shownDetail(attr, `"${value}" is not a name`, value)).toBe(`"${value}" is not a name`);
});

const PAYLOAD: JsonObject = {
  ref: "e1",
  name: "Zebedee O'Quörkson",
  mail: "zeb@quirk.example",
  dob: "1985-12-10",
  codes: ["Kaodein", "Lithiumx"],
  type: "DOMESTIC",
  country: "GB",
  active: "true",
  count: "100",
  import_supplier: "SPRING",
};

function located(problem: Partial<PlatformProblem>, payload: JsonObject = PAYLOAD): PlatformProblem | undefined {
  const whole = { attr: "non_field_errors", severity: "error", by: "platform", code: "invalid", detail: "" } as const;
  const record = { payload, locate: () => undefined, supplier: "SPRING" };
  return locateProblems([{ ...whole, ...problem }], record, new Set(["DOMESTIC"]))[0];
}

const NAME = "Aa{6} A'Aa{7}";

test.each([
  ["of other fields", "mail", `Customer "Zebedee O'Quörkson" has no mail`, `Customer "${NAME}" has no mail`],
  ["of several other fields", "mail", "Zebedee O'Quörkson, 1985-12-10.", `${NAME}, 9{4}-99-99.`],
  ["next to the attr", "codes.0", "Not Kaodein, Lithiumx", "Not Aa{6}, Aa{7}"],
  ["in another case", "name", "ZEBEDEE O'QUÖRKSON is odd", `${NAME} is odd`],
  ["in another Unicode form", "mail", "Zebedee O'Quo\u0308rkson is odd", `${NAME} is odd`],
  ["escaped for HTML", "name", "Zebedee O&#x27;Qu&#246;rkson is odd", `${NAME} is odd`],
  ["escaped for JSON", "mail", String.raw`\"Zebedee O'Qu\u00f6rkson\"`, String.raw`\"${NAME}\"`],
  ["escaped for URLs", "mail", "?name=Zebedee+O%27Qu%C3%B6rkson&x", `?name=${NAME}&x`],
  ["with other whitespace", "mail", "Zebedee\u00a0 O'Quörkson is odd", `${NAME} is odd`],
  ["inside another word", "non_field_errors", "xZebedee O'Quörksony", `x${NAME}y`],
  ["of one word inside another word", "mail", "xKaodeiny is odd", "xAa{6}y is odd"],
  ["as a date in another notation", "dob", "10/12/1985 is odd", "9{4}-99-99 is odd"],
  ["that are cut off", "mail", "It is Zebedee O'Quö…", `It is ${NAME}…`],
  ["that are cut off in an escape", "mail", "It is Zebedee O&#x2…", `It is ${NAME}&#x2…`],
])("values %s are masked", (_, attr, detail, shown) => {
  expect(located({ attr, detail })?.detail).toBe(shown);
});

test("values in an unknown attr and in a code are masked", () => {
  expect(located({ attr: "Zebedee O'Quörkson", code: "no Kaodein" })).toMatchObject({ attr: NAME, code: "no Aa{6}" });
});

test("codes, ordinary words, short numbers and known attrs are not masked", () => {
  const payload = { ...PAYLOAD, name: "Field", town: "required", mode: "PRE_PAID" };
  const detail = "This field is required: true, GB, DOMESTIC, PRE_PAID, SPRING, at most 100.";
  const problem = { attr: "mail", code: "required", detail };
  expect(located(problem, payload)).toMatchObject(problem);
});

test("values of request parameters and steps are masked", () => {
  const problem = { attr: "x", severity: "error", by: "platform", code: "x", detail: "Zoe Zebra, Yan Yak" } as const;
  const steps = new Map([["process", { team: "Yan Yak" }]]);
  const record = { payload: {}, parameters: { contact: "Zoe Zebra" }, steps, locate: () => undefined };
  expect(locateProblems([problem], record)[0]).toMatchObject({ detail: "Aaa Aa{4}, Aaa Aaa" });
});
