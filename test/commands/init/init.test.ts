import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Ajv } from "ajv";
import { configJsonSchema } from "../../../src/cli/settings/config-schema.ts";
import { parseDocument } from "../../../src/contract/document/yaml-document.ts";
import { schemaOfMapping } from "../../../src/commands/schema-of-mapping.ts";
import { projectFile, runCli } from "../../e2e/cli.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { CONTRACT, initOf, initOfProperties, type InitScene, runInit } from "./init-scene.ts";

const ACCOUNTS =
  "ACC_NO,NAME,DATE_OF_BIRTH\n" + ["A1,Ada Byron,03/04/1980", "A2,Cleo Baker,05/06/1970"].join("\n") + "\n";

function accountLine(number: string): string {
  return JSON.stringify({ account: { number }, holder: { first_name: "Ada" } });
}

/** Drafts a mapping for a contract with these text fields. The first field is the business key. */
function initOfFields(fields: readonly string[], [name, text]: readonly [string, string]): Promise<InitScene> {
  const [key = ""] = fields;
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return initOfProperties(properties, { [name]: text }, { key, required: [key] });
}

describe("init", () => {
  test("writes files that are valid against their schemas and refer to these schemas", async () => {
    const { mapping, config } = await initOf({ "accounts.csv": ACCOUNTS });
    const ajv = new Ajv({ strict: false, allErrors: true, inlineRefs: false });
    const schema = await schemaOfMapping(
      { folder: "", contract: CONTRACT, operation: "import-account", sources: [], namedSources: {} },
      {},
    );
    expect(mapping).toMatch(/^# yaml-language-server: \$schema=mapping\.schema\.json\n/);
    expect(config).toMatch(/^# yaml-language-server: \$schema=migrate\.schema\.json\n/);
    expect(ajv.validate(schema, parseDocument({ file: "m", text: mapping }).value)).toBe(true);
    expect(ajv.validate(configJsonSchema(), parseDocument({ file: "c", text: config }).value)).toBe(true);
  });

  test("escapes invisible characters of the contract in the schema of a mapping", async () => {
    const text = "a\u202eb\u200bc\u009b";
    const { out } = await initOfFields(["ref", text], ["records.csv", "REF\nA1\n"]);
    const schema = readFileSync(path.join(out, "mapping.schema.json"), "utf8");
    expect(schema).toContain(String.raw`a\u202eb\u200bc\u009b`);
    expect(schema).not.toMatch(/[\u202e\u200b\u009b]/);
  });

  test("does not apply the corrections of the project", async () => {
    const folder = temporaryFolder({ "accounts.csv": ACCOUNTS, "corrections.csv": "source,key\nother,A1\n" });
    const { result } = await runInit({
      sources: [path.join(folder, "accounts.csv")],
      contract: CONTRACT,
      operation: "import-account",
      corrections: path.join(folder, "corrections.csv"),
    });
    expect(result.check?.records).toBe(2);
  });

  test("counts a required object that no column fills as a required field", async () => {
    const extra = { type: "object", additionalProperties: { type: "string" } };
    const schema = { type: "object", properties: { ref: { type: "string" }, extra }, required: ["ref", "extra"] };
    const requestBody = { content: { "application/json": { schema } } };
    const paths = { "/records/": { post: { "x-migrate-key": "ref", requestBody, responses: {} } } };
    const contract = JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths });
    const cwd = temporaryFolder({ "records.csv": "REF\nA1\nA2\n", "contract.json": contract });
    const { stdout } = await runCli(["init", "records.csv", "--contract", "contract.json"], { cwd });
    expect(stdout).toContain("1 field guessed, including 1 of 2 required fields.\nTo do: extra\n");
  });

  test("maps the key even if a field is called constructor, like a member of every JavaScript object", async () => {
    const { mapping } = await initOfFields(["ref", "constructor", "valueOf"], ["records.csv", "REF\nA1\nA2\n"]);
    expect(mapping).toMatch(/^  ref: REF/m);
  });

  test.each(["records.csv", "q3_load_v2.csv", "extract 2026-11-29.csv"])(
    "maps columns with the names of fields, in any file: %s",
    async (name) => {
      const { mapping } = await initOfFields(["ref", "name"], [name, "ref,name\nA1,Ada\nA2,Ben\n"]);
      expect(mapping).toMatch(/^  ref: ref /m);
      expect(mapping).toMatch(/^  name: name /m);
    },
  );

  test("writes files that only their owner can read, even with umask 000", async () => {
    const umask = process.umask(0);
    try {
      const { out } = await initOf({ "accounts.csv": ACCOUNTS });
      for (const name of ["mapping.yaml", "migrate.yaml"])
        expect([name, statSync(path.join(out, name)).mode & 0o777]).toEqual([name, 0o600]);
    } finally {
      process.umask(umask);
    }
  });

  test("writes nothing into a world-writable folder or through a link", async () => {
    const folder = temporaryFolder({ "accounts.csv": ACCOUNTS });
    mkdirSync(path.join(folder, "open"));
    chmodSync(path.join(folder, "open"), 0o777);
    symlinkSync("/nowhere", path.join(folder, "link"));
    for (const name of ["open", "link"]) {
      const words = ["init", "accounts.csv", "--contract", ...CONTRACT, "--operation", "import-account", "--out", name];
      const { code, stderr } = await runCli(words, { cwd: folder });
      expect([code, stderr]).toEqual([2, expect.stringContaining("so nothing is written there")]);
    }
    expect(readdirSync(path.join(folder, "open"))).toEqual([]);
    const words = ["init", "accounts.csv", "--contract", ...CONTRACT, "--operation", "import-account"];
    const { code } = await runCli([...words, "--out", "accounts.csv/below"], { cwd: folder });
    expect(code).toBe(6);
  });

  test("reports that no date shows whether the day or the month comes first", async () => {
    const { mapping } = await initOf({ "accounts.csv": ACCOUNTS });
    expect(mapping).toContain("date: dd/MM/yyyy");
    expect(mapping).toContain("TODO: or MM/dd/yyyy? No date shows whether the day or the month comes first");
  });

  test("keeps the order of customers whose only date is their date of birth, but orders rows by other dates", async () => {
    const accounts = "ACC_NO,NAME\nA1,Ada Byron\nA2,Cleo Baker\n";
    const customers = "ACC_NO,FIRST_NAME,LAST_NAME,DOB\nA1,Ada,Byron,1985-12-10\nA1,Ben,Byron,1970-02-01\n";
    const born = await initOf({ "accounts.csv": accounts, "customers.csv": customers });
    expect(born.mapping).toContain("customers.csv, parent: accounts, on: ACC_NO }");
    const since = await initOf({ "accounts.csv": accounts, "customers.csv": customers.replace("DOB", "SINCE") });
    expect(since.mapping).toContain("orderBy: SINCE }");
  });

  test("does not map an amount in pence to an amount in pounds, and lists its column as unused", async () => {
    const { mapping } = await initOf({ "accounts.csv": "ACC_NO,NAME,BALANCE_PENCE\nA1,Ada,1250\nA2,Ben,99\n" });
    expect(mapping).not.toMatch(/^ +balance:/m);
    expect(mapping).toMatch(/^# accounts: .*BALANCE_PENCE/m);
  });

  test("also maps the only address of an extract to the supply address, with a low score", async () => {
    const { mapping } = await initOf({ "accounts.csv": "ACC_NO,BILL_ADDR1,BILL_PCODE\nA1,1 Mill Lane,DE1 1AA\n" });
    expect(mapping).toMatch(/supply_address1: BILL_ADDR1 .*0\.[3-5]/);
    expect(mapping).toMatch(/supply_postcode: BILL_PCODE .*0\.[3-5]/);
  });

  test("maps a column of phone numbers of which half have an unusual form", async () => {
    const numbers = ["(02) 9876 5432", "1300 975 707", "(02) 9876 5433", "1300 975 708"];
    const lines = numbers.map((number, row) => `A${row + 100},${number}`);
    const files = { "accounts.csv": `Account number,LANDLINE\n${lines.join("\n")}\n` };
    const { mapping } = await initOfProperties({ landline: { type: "string" } }, files, { key: "account_number" });
    expect(mapping).toContain("landline: LANDLINE");
  });

  test("reads a number above 12 in a date as the day", async () => {
    const { mapping } = await initOf({ "accounts.csv": ACCOUNTS.replace("03/04", "03/14") });
    expect(mapping).toContain("date: MM/dd/yyyy");
    expect(mapping).not.toContain("No date shows");
  });

  test("detects and declares windows-1252", async () => {
    const bytes = Buffer.from(ACCOUNTS.replace("Cleo", "Cl\u00E9o"), "latin1");
    const { result, config } = await initOf({ "accounts.csv": bytes });
    expect(result.sources[0]?.files[0]?.encoding).toEqual({
      name: "windows-1252",
      byteOrderMark: false,
      guessed: true,
    });
    expect(config).toContain("encoding: windows-1252");
    expect(result.check?.records).toBe(2);
  });

  test("detects UTF-16 without a byte order mark", async () => {
    const { result, config } = await initOf({ "accounts.csv": Buffer.from(ACCOUNTS, "utf16le") });
    expect(result.sources[0]?.files[0]?.encoding).toMatchObject({ name: "utf-16le", guessed: true });
    expect(config).toContain("encoding: utf-16le");
  });

  test("reports a byte order mark, and declares no encoding", async () => {
    const { result, config } = await initOf({ "accounts.csv": `\uFEFF${ACCOUNTS}` });
    expect(result.sources[0]?.files[0]?.encoding).toEqual({ name: "utf-8", byteOrderMark: true, guessed: false });
    expect(config).not.toContain("encoding");
  });

  test("treats files with the same columns as one source", async () => {
    const { result, mapping } = await initOf({
      "accounts-1.csv": ACCOUNTS,
      "accounts-2.csv": ACCOUNTS.replace("A1", "A3").replace("A2", "A4"),
    });
    expect(result.sources.map(({ name, rows }) => [name, rows])).toEqual([["accounts", 4]]);
    expect(mapping).toMatch(/files: \[.*accounts-1\.csv, .*accounts-2\.csv\]/);
  });

  test("refers to the values of JSON lines by their paths", async () => {
    const { mapping } = await initOf({ "accounts.ndjson": `${accountLine("A1")}\n${accountLine("A2")}\n` });
    expect(mapping).toContain("external_account_number: account.number");
  });

  test("refuses JSON records that are already payloads", async () => {
    const scene = runInit({
      sources: [projectFile("fixtures/demo/business.json")],
      contract: CONTRACT,
      operation: "import-account",
    });
    await expect(scene).rejects.toThrow(/its records are already payloads/);
  });

  test("stops with exit code 3 when interrupted", async () => {
    const folder = temporaryFolder({ "accounts.csv": ACCOUNTS });
    const stopped = runInit({
      sources: [path.join(folder, "accounts.csv")],
      contract: CONTRACT,
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "incomplete", exitCode: 3 });
  });

  test("omits a file that cannot be joined to another file, and reports the omission", async () => {
    const { mapping } = await initOf({ "accounts.csv": ACCOUNTS, "prices.csv": "CODE,PRICE\nX,1.5\nY,2.5\n" });
    expect(mapping).toContain("TODO prices (prices.csv): none of its columns refers to rows of another source");
  });

  test("writes a valid mapping for any column names", async () => {
    const header = [
      '"a: b"',
      '"{x}"',
      "true",
      "#1",
      '"q""q"',
      "ACC_NO",
      '"line\nend"',
      "- x",
      "NAME,  padded ",
      "*y",
      "&z",
    ];
    const { result } = await initOf({
      "accounts.csv": `${header.join(",")}\n${header.map((_, at) => `v${at}`).join(",")},w\n`,
    });
    expect(result.check?.records).toBe(1);
  });
});

describe("the output of init contains no personal values", () => {
  test("from the demo's extracts", async () => {
    const names = ["accounts.csv", "customers.csv", "meter_points.csv", "readings.csv"];
    const { mapping, config } = await runInit({
      sources: names.map((name) => projectFile("fixtures/demo", name)),
      contract: CONTRACT,
      operation: "import-account",
      supplier: "SANDBOX",
    });
    const cells = names.flatMap((name) => cellsOf(readFileSync(projectFile("fixtures/demo", name), "utf8")));
    const longer = [...new Set(cells)].filter((cell) => cell.length > 3 && !"unknown_occupier".includes(cell));
    expect(longer.length).toBeGreaterThan(3000);
    expect(longer.filter((cell) => `${mapping}${config}`.includes(cell))).toEqual([]);
  });

  test("from a column of surnames that is mapped to a choice, because rare values do not count as codes", async () => {
    const surnames = ["Byron", "Baker", "Eliot", "Dom", "Buss"];
    const rows = Array.from({ length: 12 }, (_, at) => `A${at},${surnames[at % 5]}`);
    const { mapping } = await initOf({ "accounts.csv": `ACC_NO,ACCOUNT_TYPE\n${rows.join("\n")}\n` });
    expect(mapping).toContain("account_type");
    for (const surname of ["Byron", "Baker", "Eliot", "Buss"]) expect(mapping).not.toContain(surname);
  });
});

function cellsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line) => line.split(","));
}

function balances(amounts: readonly string[]): string {
  return `ACC_NO,BALANCE\n${amounts.map((amount, index) => `A${index},${amount}`).join("\n")}\n`;
}

test("init reads a minus sign after an amount as part of the number", async () => {
  const plain = await initOf({ "accounts.csv": balances(["12.50-", "3.00", "7.25-"]) });
  expect(plain.mapping).toContain('balance: { from: BALANCE, number: { decimal: "." } }');
  const german = await initOf({ "accounts.csv": balances(['"1.012,50-"', '"3,00"', '"7,25-"']) });
  expect(german.mapping).toContain('balance: { from: BALANCE, number: { decimal: ",", group: "." } }');
});

test("init reads numbers with a decimal comma as numbers, even if the field also takes text", async () => {
  const amount = { anyOf: [{ type: "number" }, { type: "string", pattern: "^(?!x).*$" }, { type: "null" }] };
  const files = { "accounts.csv": "REF;AMOUNT\nA1;1.012,50\nA2;3,00\nA3;7,25\n" };
  const { mapping } = await initOfProperties({ amount }, files, { key: "ref" });
  expect(mapping).toContain('amount: { from: AMOUNT, number: { decimal: ",", group: "." } }');
});

test("init adds a TODO to check the time zone if the contract declares neither a zone nor a region", async () => {
  const files = { "accounts.csv": "REF,SEEN_AT\nA1,01/02/2024 10:30\nA2,13/02/2024 11:30\n" };
  const seenAt = { seen_at: { type: "string", format: "date-time" } };
  const { mapping } = await initOfProperties(seenAt, files, { key: "ref" });
  expect(mapping).toMatch(/zone: UTC \} +# [\d.]+; TODO: check the time zone\n/);
  const offset = { "accounts.csv": "REF,SEEN_AT\nA1,01/02/2024 10:30+01:00\nA2,13/02/2024 11:30+01:00\n" };
  expect((await initOfProperties(seenAt, offset, { key: "ref" })).mapping).not.toContain("TODO: check the time zone");
});
