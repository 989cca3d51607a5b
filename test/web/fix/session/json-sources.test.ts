import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/json/json-value.ts";
import type { FixSession } from "../../../../src/web/fix/fix-session.ts";
import { jsonAccount, jsonCustomer, writeJsonExtract } from "../../../e2e/json-extract.ts";
import { CONTRACT } from "../../../e2e/push-scene.ts";
import { rawWorkbook } from "../../../read/workbook/raw-workbook.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { edit, errorsOf, type FixScene, rowsOf, sceneIn, sourceOf, TAB } from "../fix-scene.ts";

const HEADER = "key,source,column,old_sha256,row_sha256,value,by,at,reason,change\n";

function jsonScene(
  accounts: readonly JsonObject[],
  customers: readonly JsonObject[] = [jsonCustomer("A"), jsonCustomer("B")],
): FixScene {
  const folder = temporaryFolder();
  writeJsonExtract(folder, { accounts, customers });
  const scene = sceneIn(folder);
  writeFileSync(scene.file("fixes.csv"), HEADER);
  appendFileSync(scene.file("migrate.yaml"), "corrections: fixes.csv\n");
  return scene;
}

/** Edits cells, and expects no errors now or in the next check. */
async function expectFixed(
  scene: FixScene,
  session: FixSession,
  edits: readonly Parameters<typeof edit>[1][],
): Promise<void> {
  for (const one of edits) expect(await edit(session, one)).toMatchObject({ saved: 1, refused: 0 });
  expect(session.overview().records.open).toBe(0);
  expect((await scene.open()).overview().records.total).toBe(0);
}

describe("JSON sources", () => {
  test("are edited by dot path, including lists and joined children", async () => {
    const scene = jsonScene(
      [jsonAccount("A", { account: { ref: "A", type: "X", vacant: false } }), jsonAccount("B")],
      [
        jsonCustomer("A", { phones: ["1"] }),
        jsonCustomer("A", { phones: ["1", "2"] }),
        jsonCustomer("B", { born: 19470616 }),
      ],
    );
    const session = await scene.open();
    expect(sourceOf(session, "customers").source.columns).toEqual([
      "ref",
      "name.given",
      "name.family",
      "phones.0",
      "born",
      "phones.1",
    ]);
    expect(errorsOf(session, "accounts")).toEqual([expect.stringMatching(/^1 account\.type: Must be one of: D, B/)]);
    expect(errorsOf(session, "customers").map((text) => text.split(":")[0])).toEqual([
      "2 phones.0",
      "13 phones.0",
      "25 born",
    ]);
    await expectFixed(scene, session, [
      ["accounts", 0, "account.type", "B"],
      ["customers", 0, "phones.0", "07700 900731"],
      ["customers", 1, "phones.0", "07700 900732"],
      ["customers", 2, "born", "1947-06-16"],
    ]);
    await session.undo(TAB);
    expect(errorsOf(session, "customers")).toEqual([expect.stringMatching(/^25 born: /)]);
  });

  test.each<readonly [what: string, account: JsonObject, column: string, text: string]>([
    ["a number", { balance: 12.345 }, "balance", "12.34"],
    ["a boolean", { account: { ref: "A", type: "?", vacant: true } }, "account.vacant", "false"],
    ["null", { address: { lines: ["1 Road"], postcode: null } }, "address.postcode", "DE1 2GU"],
    ["a missing member of null", { address: null }, "address.postcode", "DE1 2GU"],
    ["the first item of an empty list", { address: { lines: [], postcode: "?" } }, "address.lines.0", "1 Road"],
    ["a number with leading zeros instead of null", { mpan: null }, "mpan", "0012345678901"],
    ["a number in scientific notation instead of null", { name: null }, "name", "1E5"],
    ["a number with too many digits for JSON", { mpan: 1 }, "mpan", "12100000079190000001"],
  ])("store an edit of %s unchanged", async (_, account, column, text) => {
    const scene = jsonScene([jsonAccount("A", { balance: 1.234, ...account }), jsonAccount("B")]);
    const session = await scene.open();
    expect(await edit(session, ["accounts", 0, column, text])).toMatchObject({ saved: 1 });
    const index = sourceOf(session, "accounts").source.columns.indexOf(column);
    expect(rowsOf(session, "accounts")[0]?.cells[index]).toBe(text);
  });

  test("show no column for a name with a dot, because no path can refer to it", async () => {
    const scene = jsonScene([jsonAccount("A", { "old.name": "x", account: { ref: "A", type: "?" } })]);
    const session = await scene.open();
    expect(sourceOf(session, "accounts").source.columns).not.toContain("old.name");
  });

  test("never show, copy or fill down a number that lost digits when the file was read", async () => {
    const type = { account: { ref: "B", type: "?", vacant: false } };
    const scene = jsonScene([jsonAccount("A", { mpan: 1 }), jsonAccount("B", type)]);
    scene.change("accounts.ndjson", '"mpan":1', '"mpan":12345678901234567890');
    const session = await scene.open();
    const { index, source } = sourceOf(session, "accounts");
    const column = source.columns.indexOf("mpan");
    const [unsafe] = rowsOf(session, "accounts");
    expect(unsafe).toMatchObject({ key: "A", locked: expect.stringContaining("Correct this row in the file") });
    expect(unsafe?.cells[column]).toBe(null);
    expect(session.value(unsafe?.id ?? 0, column)).toBe(undefined);
    const filter = { source: index, cause: 0 };
    expect((await session.values({ ...filter, column })).map(({ value }) => value)).toEqual(["1210000007919"]);
    await session.fillDown({ ...filter, columns: [column], first: 0, last: 1 }, TAB);
    expect(await scene.corrections()).toEqual([]);
  });

  test("refuse an edit at a path that the JSON of the row cannot contain", async () => {
    const scene = jsonScene([
      jsonAccount("A", { address: "63 Station Road" }),
      jsonAccount("B", { account: { ref: "B", type: "?" } }),
    ]);
    const session = await scene.open();
    const refused = await edit(session, ["accounts", 0, "address.postcode", "DE1 2GU"]);
    expect(refused).toMatchObject({ saved: 0, refused: 1, refusals: [{ reason: "locked" }] });
    expect(await scene.corrections()).toEqual([]);
  });

  test("report a correction as outdated if the extract now contains a value of another kind", async () => {
    const scene = jsonScene([jsonAccount("A", { address: { lines: ["1 Road"], postcode: "?" } }), jsonAccount("B")]);
    await edit(await scene.open(), ["accounts", 0, "address.postcode", "DE1 2GU"]);
    scene.change("accounts.ndjson", '{"lines":["1 Road"],"postcode":"?"}', '"1 Road"');
    const session = await scene.open();
    expect(session.overview().outdated.count).toBe(1);
  });

  test("whose records are already payloads keep the type of a value", async () => {
    const folder = temporaryFolder();
    const scene = sceneIn(folder);
    const customers = [{ given_name: "Amina", family_name: "Hughes" }];
    const supply = [
      {
        supply_address1: "1 Road",
        supply_postcode: "DE1 2GU",
        meter_points: [{ identifier: "1210000007919", supply_type: "ELECTRICITY", supply_start_date: "2024-01-01" }],
      },
    ];
    const payload = {
      external_account_number: "A",
      import_supplier: "ACME",
      account_type: "?",
      unknown_occupier: 7,
      billing_name: "Amina Hughes",
      billing_address1: "1 Road",
      billing_postcode: "DE1 2GU",
      customers,
      supply_addresses: supply,
    };
    writeFileSync(scene.file("accounts.json"), JSON.stringify([payload]));
    writeFileSync(scene.file("fixes.csv"), HEADER);
    writeFileSync(scene.file("migrate.yaml"), `contract: ${CONTRACT}\nsupplier: ACME\ncorrections: fixes.csv\n`);
    const session = await scene.open("ann@desk", [scene.file("accounts.json")]);
    const [source] = session.overview().sources;
    const name = source?.name ?? "";
    await edit(session, [name, 0, "account_type", "DOMESTIC"]);
    await edit(session, [name, 0, "unknown_occupier", "true"]);
    expect(session.overview().records.open).toBe(0);
    expect(readFileSync(scene.file("fixes.csv"), "utf8")).toContain("A,");
  });
});

/** Returns the XML of a cell with this text. A value that is already XML is returned unchanged. */
function cell(value: string): string {
  return value.startsWith("<") ? value : `<c t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
}

function sheetData(rows: readonly (readonly string[])[]): string {
  return rows.map((cells, index) => `<row r="${index + 1}">${cells.map(cell).join("")}</row>`).join("");
}

const BOOK_MAPPING = `
operation: import-account
key: external_account_number
sources:
  accounts:  { files: "book.xlsx#Accounts", key: REF }
  customers: { files: "book.xlsx#Customers", parent: accounts, on: REF }
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  account_type: { from: TYPE, lookup: { D: DOMESTIC, B: BUSINESS } }
  unknown_occupier: { from: VACANT, true: ["TRUE"], false: ["FALSE"] }
  balance: BALANCE
  billing_name: NAME
  billing_address1: ADDRESS
  billing_postcode: POSTCODE
  customers:
    each: customers
    item: { given_name: FIRST, family_name: LAST, date_of_birth: DOB }
  supply_addresses:
    - supply_address1: ADDRESS
      supply_postcode: POSTCODE
      meter_points:
        - { identifier: MPAN, supply_type: { value: ELECTRICITY }, supply_start_date: { value: "2024-01-01" } }
`;

async function bookScene(wrongDate = "31/02/1971"): Promise<FixScene> {
  const accounts = sheetData([
    ["REF", "TYPE", "VACANT", "BALANCE", "NAME", "ADDRESS", "POSTCODE", "MPAN"],
    [
      "0001",
      "X",
      '<c t="b"><v>1</v></c>',
      "<c><v>12.345</v></c>",
      "Amina Hughes",
      "1 Road",
      "DE1 2GU",
      "1210000007919",
    ],
    ["0002", "D", "maybe", "<c><v>1</v></c>", "Ben Hughes", "1 Road", "DE1 2GU", "1210000007919"],
  ]);
  const customers = sheetData([
    ["REF", "FIRST", "LAST", "DOB"],
    ["0001", "Amina", "Hughes", '<c s="1"><v>17334</v></c>'],
    ["0002", "Ben", "Hughes", wrongDate],
    ["0002", "Cat", "Hughes", '<c s="1"><v>17334.5</v></c>'],
  ]);
  const book = await rawWorkbook({
    sheets: { Accounts: accounts, Customers: customers },
    formats: ["dd/mm/yyyy"],
  });
  const folder = temporaryFolder();
  const scene = sceneIn(folder);
  writeFileSync(scene.file("book.xlsx"), readFileSync(book));
  writeFileSync(scene.file("mapping.yaml"), BOOK_MAPPING);
  writeFileSync(scene.file("fixes.csv"), HEADER);
  writeFileSync(
    scene.file("migrate.yaml"),
    `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\ncorrections: fixes.csv\n`,
  );
  return scene;
}

describe("a workbook with two sheets", () => {
  test("is edited as the displayed text of its cells, with dates in ISO 8601", async () => {
    const scene = await bookScene();
    const session = await scene.open();
    expect(errorsOf(session, "accounts").map((text) => text.split(":")[0])).toEqual([
      "2 TYPE",
      "2 BALANCE",
      "3 VACANT",
    ]);
    expect(errorsOf(session, "customers").map((text) => text.split(":")[0])).toEqual(["3 DOB"]);
    expect(rowsOf(session, "accounts")[0]?.file).toMatch(/book\.xlsx#Accounts$/);
    await expectFixed(scene, session, [
      ["accounts", 0, "TYPE", "B"],
      ["accounts", 0, "BALANCE", "12.34"],
      ["accounts", 1, "VACANT", "FALSE"],
      ["customers", 0, "DOB", "1971-02-28"],
    ]);
    expect(await scene.corrections()).toEqual([
      "accounts 0001 TYPE B",
      "accounts 0001 BALANCE 12.34",
      "accounts 0002 VACANT FALSE",
      "customers 0002 DOB 1971-02-28",
    ]);
  });

  test("accepts edits only of cells that have not changed since the check", async () => {
    const scene = await bookScene();
    const session = await scene.open();
    writeFileSync(scene.file("book.xlsx"), readFileSync((await bookScene("01/02/1971")).file("book.xlsx")));
    expect(await edit(session, ["customers", 0, "DOB", "1971-02-28"])).toMatchObject({
      saved: 0,
      refusals: [{ reason: "source_changed" }],
    });
    expect(await edit(session, ["accounts", 0, "TYPE", "B"])).toMatchObject({ saved: 1 });
  });
});
