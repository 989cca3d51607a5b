import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "../../../src/contract/document/yaml-document.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import { Failure } from "../../../src/model/failure.ts";
import { newDraft, undone, withEdit } from "../../../src/web/client/pages/mapping/draft.ts";
import type { ColumnData, MappingData, MappingEdit, SourceColumn } from "../../../src/web/mapping/mapping-data.ts";
import { commentsIn } from "../../../src/web/mapping/yaml/places.ts";
import { campaignSize } from "../../campaign.ts";
import { projectFile } from "../../e2e/cli.ts";
import { allFields, fieldNamed, sceneOf, textIn, workedExample } from "./mapping-scene.ts";

const scene = workedExample();
const TEXT = textIn(scene.folder);

test("shows each field with its entry, its columns and the rules of the contract, required fields first", async () => {
  const { fields, error, sources } = await scene.view(TEXT);
  expect(error).toBeUndefined();
  expect(sources.map(({ name, rows, keys }) => [name, rows, keys])).toEqual([
    ["accounts", 2, expect.arrayContaining(["ACCOUNT_REF"])],
    ["customers", 3, expect.anything()],
    ["meters", 3, expect.arrayContaining(["MPAN"])],
    ["agreements", 3, expect.anything()],
  ]);
  const required = fields.map((field) => field.required);
  expect(required.indexOf(false)).toBe(required.lastIndexOf(true) + 1);
  const view = await scene.view(TEXT);
  expect(fieldNamed(view, "account_type")).toMatchObject({
    kind: "value",
    choices: ["DOMESTIC", "BUSINESS"],
    row: "accounts",
    entry: { columns: [{ source: "accounts", column: "TYPE" }] },
  });
  expect(fieldNamed(view, "customers.*.mobile")).toMatchObject({
    path: ["payload", "customers", "item", "mobile"],
    row: "customers",
    entry: { leaf: { from: "MOBILE", replace: { " ": "" } } },
  });
});

test("shows samples and codes only if values are shown", async () => {
  const shown = await scene.view(TEXT);
  const hidden = await scene.service.view({ job: scene.job, text: TEXT, showValues: false }, [], scene.dependencies);
  expect(columnsOf(shown).find(({ name }) => name === "PAY")?.samples).toContain("CASH");
  expect(columnsOf(hidden).flatMap(({ samples, codes }) => [...samples, ...(codes ?? [])])).toEqual([]);
  expect(JSON.stringify((await scene.check(TEXT, false)).payloads)).not.toMatch(/Ada|Byron|00123/);
  expect(JSON.stringify((await scene.check(TEXT, true)).payloads)).toMatch(/Ada/);
});

test("connects a column in the same way as init, and keeps all other characters", async () => {
  const start = await scene.view(TEXT);
  const without = await scene.view(TEXT, [
    { kind: "disconnect", path: fieldNamed(start, "customers.*.date_of_birth").path },
  ]);
  expect(without.text).toBe(TEXT.replace(/ *date_of_birth.*\n/, ""));
  const { path } = fieldNamed(without, "customers.*.date_of_birth");
  const made = await scene.view(without.text, [{ kind: "connect", path, source: "customers", column: "DOB" }]);
  expect(valueOf(made.text)).toEqual(valueOf(TEXT));
  expect(made.error).toBeUndefined();
});

test("connects a column of the parent, and refuses a column of a source with several rows", async () => {
  const { path } = fieldNamed(await scene.view(TEXT), "supply_addresses.*.meter_points.*.identifier");
  const made = await scene.view(TEXT, [{ kind: "connect", path, source: "accounts", column: "NAME" }]);
  expect(fieldNamed(made, "supply_addresses.*.meter_points.*.identifier").entry).toMatchObject({
    leaf: { from: "parent.NAME" },
    columns: [{ source: "accounts", column: "NAME" }],
  });
  const billing = fieldNamed(made, "billing_name").path;
  await expect(
    scene.view(TEXT, [{ kind: "connect", path: billing, source: "customers", column: "FIRST" }]),
  ).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining('does not identify a single row of "customers"'),
  });
});

test("adds lists built from the rows of a source, and single objects", async () => {
  const only =
    "operation: import-account\nsources:\n  accounts: { files: accounts.csv, key: ACCOUNT_REF }\n  meters: { files: meters.csv, parent: accounts, on: ACCT, key: MPAN }\npayload: {}\n";
  const attr = "supply_addresses.*.meter_points.*.identifier";
  const { path } = fieldNamed(await scene.view(only), attr);
  expect(path).toEqual(["payload", "supply_addresses", "*", "meter_points", "*", "identifier"]);
  const made = await scene.view(only, [{ kind: "connect", path, source: "meters", column: "MPAN" }]);
  expect(made.text).toContain(
    "payload:\n  supply_addresses:\n    - meter_points:\n        each: meters\n        item:\n          identifier: MPAN\n",
  );
  const next = await scene.view(made.text, [
    { kind: "connect", path: fieldNamed(made, "payment.day").path, source: "accounts", column: "PAY_DAY" },
    {
      kind: "set",
      path: fieldNamed(made, "supply_addresses.*.supply_postcode").path,
      leaf: { from: "POSTCODE", upper: true },
    },
    { kind: "rows", path: fieldNamed(made, "customers").path, source: "meters" },
  ]);
  expect(valueOf(next.text)).toMatchObject({
    payload: {
      payment: { day: "PAY_DAY" },
      supply_addresses: [{ supply_postcode: { from: "POSTCODE", upper: true } }],
    },
  });
  expect(valueOf(next.text)).toHaveProperty("payload.customers", { each: "meters", item: {} });
});

test("changes individual options, and refuses entries that only an editor can change", async () => {
  const { path, entry } = fieldNamed(await scene.view(TEXT), "customers.*.mobile");
  const made = await scene.view(TEXT, [{ kind: "set", path, leaf: { ...entry?.leaf, default: "07700900000" } }]);
  expect(made.text).toBe(
    TEXT.replace(
      'mobile: { from: MOBILE, replace: { " ": "" } }',
      'mobile: { from: MOBILE, replace: { " ": "" }, default: "07700900000" }',
    ),
  );
  const several = TEXT.replace('psr_codes: { from: NEEDS, split: ";" }', "psr_codes: [NEEDS, FIRST]");
  const shown = fieldNamed(await scene.view(several), "customers.*.psr_codes");
  expect(shown.entry).toMatchObject({ text: "[NEEDS, FIRST]" });
  expect(shown.entry?.leaf).toBeUndefined();
  await expect(
    scene.view(several, [{ kind: "connect", path: shown.path, source: "customers", column: "NEEDS" }]),
  ).rejects.toThrow(/edited by hand/);
});

test("refuses a column whose rows are in more nested lists than the field", async () => {
  const path = ["payload", "customers", "*", "family_name"];
  const without = TEXT.replace(/ {2}customers:\n {4}each: [^]*(?= {2}supply_addresses:)/, "");
  await expect(
    scene.view(without, [{ kind: "connect", path, source: "agreements", column: "TARIFF" }]),
  ).rejects.toThrow(
    'customers.*.family_name is inside 1 list, but the rows of the column are reached through "meters", then "agreements"',
  );
});

test("changes the options of a source", async () => {
  const made = await scene.view(TEXT, [
    { kind: "source", name: "customers", options: { orderBy: null, pick: "first" } },
    { kind: "source", name: "notes", options: { files: "notes.csv", parent: "accounts", on: "REF" } },
  ]);
  expect(made.text).toContain("customers:  { files: customers.csv, parent: accounts, on: ACCOUNT_REF, pick: first }");
  expect(made.text).toContain("  notes: { files: notes.csv, parent: accounts, on: REF }\npayload:");
  expect(made.error?.message).toContain("notes.csv");
});

test("counts valid records, and says whether the input contains more records", async () => {
  expect(await scene.check(TEXT)).toMatchObject({
    records: 2,
    valid: 2,
    more: false,
    payloads: [{ record: 1, problems: [] }, { record: 2 }],
  });
  const worse = TEXT.replace("billing_postcode: { from: POSTCODE, upper: true }", "billing_postcode: NAME");
  const { valid, causes } = await scene.check(worse);
  expect([valid, causes[0]?.attr]).toEqual([0, "billing_postcode"]);
  await expect(scene.check("payload: 1\n")).rejects.toMatchObject({ code: "mapping_invalid" });
});

test("starts with an inferred mapping, whose fields have scores", async () => {
  const { service, job, dependencies } = scene;
  const cold = {
    ...job,

    operation: "import-account",
    sources: ["accounts", "customers", "meters"].map((name) => `${scene.folder}/${name}.csv`),
  };
  const { text } = await service.guess(cold, dependencies);
  const view = await service.view({ job: { ...cold, sources: [] }, text, showValues: false }, [], dependencies);
  expect(view.error).toBeUndefined();
  expect(fieldNamed(view, "customers.*.date_of_birth").entry).toMatchObject({
    columns: [{ source: "customers", column: "DOB" }],
  });
  expect(fieldNamed(view, "external_account_number").entry?.score).toBeGreaterThan(0.5);
});

function columnsOf({ sources }: MappingData): readonly ColumnData[] {
  return sources.flatMap((source) => source.columns);
}

function valueOf(text: string): JsonValue {
  return parseDocument({ file: "mapping.yaml", text }, "mapping_invalid").value;
}

const demo = sceneOf("fixtures/demo", { supplier: "SANDBOX" });
writeFileSync(`${demo.folder}/codes.csv`, "code,value\nD,DOMESTIC\n");
const STARTS = [
  textIn(demo.folder),
  readFileSync(projectFile("fixtures/demo/mapping.yaml"), "utf8").replace(/payload:[^]*/, "payload: {}\n# end\n"),
];

test("every sequence of edits keeps all comments, can be undone, and results in a mapping that compiles or in a clear error", async () => {
  const picks = fc.record<Picks>({ one: fc.nat(), other: fc.nat(), kind: fc.nat(7) });
  const sequences = fc.array(picks, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...STARTS), sequences, async (start, sequence) => {
      let view = await demo.view(start);
      let draft = newDraft(start, {});
      for (const pick of sequence) {
        const edit = editFor(view, pick);
        if (edit === undefined) continue;
        const { next, faults } = await editedWith(view, edit);
        expect(faults).toEqual([]);
        draft = withEdit(draft, edit, next.text);
        view = next;
      }
      for (const _ of sequence) draft = undone(draft);
      expect(draft.text).toBe(start);
    }),
    { numRuns: campaignSize({ part: 4, whole: 12 }) },
  );
});

/** Returns the mapping after an edit, or the unchanged mapping if the edit is refused, and the faults of the result. */
async function editedWith(
  view: MappingData,
  edit: MappingEdit,
): Promise<{ readonly next: MappingData; readonly faults: readonly string[] }> {
  const next = await demo.view(view.text, [edit]).catch((error: unknown) => error);
  if (next instanceof Failure) {
    const isClear = next.code === "usage" && /\w/.test(next.hint ?? "");
    return { next: view, faults: isClear ? [] : [`unclear: ${next.message}`] };
  }
  if (!isMapping(next)) throw next;
  const { error } = next;
  const isClear = error === undefined || (error.code === "mapping_invalid" && error.message.includes("mapping.yaml"));
  return {
    next,
    faults: [
      ...(commentsIn(next.text).length === commentsIn(view.text).length ? [] : ["another number of comments"]),
      ...(isClear ? [] : [`unclear: ${error.message}`]),
      ...(sourceOptions(next) === sourceOptions(view) ? [] : ["the sources changed"]),
    ],
  };
}

function isMapping(value: unknown): value is MappingData {
  return typeof value === "object" && value !== null && "text" in value;
}

function sourceOptions({ sources }: MappingData): string {
  return JSON.stringify(sources.map(({ options }) => options));
}

interface Picks {
  readonly one: number;
  readonly other: number;
  readonly kind: number;
}

function editFor(view: MappingData, { one, other, kind }: Picks): MappingEdit | undefined {
  const fields = allFields(view.fields).filter((field) => field.kind === "value" || field.kind === "values");
  const field = fields[one % fields.length];
  const columns = view.sources.flatMap(({ name, columns: own }) =>
    own.map((column) => ({ source: name, column: column.name })),
  );
  const column = columns[other % columns.length];
  if (field === undefined || column === undefined) return undefined;
  const { path } = field;
  const leaves = [
    { value: "x" },
    { from: "NAME", upper: true, default: "d" },
    { from: ["A", "B"], join: " " },
    { from: "TYPE", lookup: { D: "DOMESTIC" } },
    { from: "TYPE", lookup: "codes.csv", otherwise: "keep" },
    {
      from: "NAME",
      replace: [
        { from: " ", to: "" },
        { pattern: "^0", to: "+44" },
      ],
    },
    { from: "NAME", replace: { "-": "" } },
    { call: "clean" },
  ];
  if (kind === 0) return field.entry === undefined ? undefined : { kind: "disconnect", path };
  if (kind === 1) return { kind: "set", path, leaf: leaves[other % leaves.length] ?? {} };
  if (kind < 5) return listEditFor(view, { one, other, kind }, column);
  return { kind: "connect", path, ...column };
}

/** Returns an edit of a list, or of a part of a list. */
function listEditFor(view: MappingData, { one, other, kind }: Picks, column: SourceColumn): MappingEdit | undefined {
  const kinds = kind === 2 ? ["list"] : ["list", "part"];
  const lists = allFields(view.fields).filter((field) => kinds.includes(field.kind));
  const list = lists[one % lists.length];
  if (list === undefined) return undefined;
  const { path } = list;
  if (kind === 2) return { kind: "rows", path, source: column.source };
  const isNone = other % 3 === 0;
  if (kind === 3) return { kind: "part", path, when: isNone ? null : { column: column.column, in: ["A"] } };
  return { kind: "rows", path, source: isNone ? null : column.source };
}
