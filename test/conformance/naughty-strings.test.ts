import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { expect, test } from "vitest";
import { runCli, startTestSandbox } from "../e2e/cli.ts";
import { CONTRACT, outcomeLines, statusCounts } from "../e2e/push-scene.ts";
import { corpus, describeCorpus } from "./corpora.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** An overlay with a field that accepts any text of any length. */
const OVERLAY = `
overlay: 1.0.0
info: { title: Remarks, version: "1" }
actions:
  - target: $.components.schemas.Account.properties
    update: { remark: { type: string, minLength: 0 } }
`;

const MAPPING = `
operation: import-account
key: external_account_number
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  account_type: { value: DOMESTIC }
  billing_name: { value: Amina Hughes }
  billing_address1: { value: 63 Station Road }
  billing_postcode: POSTCODE
  remark: { from: REMARK, trim: false }
  customers: [{ given_name: FIRST, family_name: { value: Hughes } }]
  supply_addresses:
    - supply_address1: { value: 63 Station Road }
      supply_postcode: { value: DE1 2GU }
      meter_points:
        - identifier: { value: "1210000007919" }
          supply_type: { value: ELECTRICITY }
          supply_start_date: { value: "2024-01-01" }
`;

const JOB = ["--contract", CONTRACT, "--contract", "overlay.yaml", "--mapping", "mapping.yaml"];

interface Cells {
  readonly REF: string;
  readonly FIRST: string;
  readonly POSTCODE: string;
  readonly REMARK: string;
}

describeCorpus("naughty-strings", () => {
  test.each([
    ["CSV", "extract.csv", (rows: readonly Cells[]) => stringify([...rows], { header: true })],
    ["JSON", "extract.json", (rows: readonly Cells[]) => JSON.stringify(rows)],
  ])("every string reaches the platform unchanged from %s", async (_, file, write) => {
    const folder = workFolder();
    const rows = naughtyStrings().map((REMARK, at) => ({
      REF: `N-${at}`,
      FIRST: "Amina",
      POSTCODE: "DE1 2GU",
      REMARK,
    }));
    writeFileSync(path.join(folder, file), write(rows));
    const held = path.join(folder, "held.json");
    const flags = ["--contract", CONTRACT, "--contract", path.join(folder, "overlay.yaml"), "--data", held];
    const sandbox = await startTestSandbox({ flags });
    const push = ["push", file, ...JOB, "--format", "ndjson", "--out", "report"];
    const { code, stdout } = await runCli(push, { cwd: folder, env: sandbox.env }).finally(sandbox.stop);
    expect([code, statusCounts(outcomeLines(stdout))]).toEqual([0, { accepted: rows.length }]);
    const arrived = receivedRemarks(held);
    for (const { REF, REMARK } of rows) {
      const expected = REMARK === "" ? undefined : REMARK;
      expect({ REF, remark: arrived.get(REF) }).toEqual({ REF, remark: expected });
    }
  });

  test("strings in keys, names and rejected cells are escaped on screens and in spreadsheets", async () => {
    const folder = workFolder();
    const rows = naughtyStrings().map((text) => ({ REF: text, FIRST: text, POSTCODE: text, REMARK: text }));
    writeFileSync(path.join(folder, "extract.csv"), stringify(rows, { header: true }));
    const screens: string[] = [];
    for (const [format, log] of Object.entries({ text: "text", ndjson: "json", github: "json" })) {
      const more = ["--format", format, "--log-format", log, "--verbose", "--show-values", "--out", "report"];
      const validate = ["validate", "extract.csv", ...JOB, ...more, "--supplier", "S"];
      const { code, stdout, stderr } = await runCli(validate, { cwd: folder });
      expect({ format, code }).toEqual({ format, code: 1 });
      screens.push(stdout, stderr);
    }
    for (const screen of screens) expect(screen.replaceAll("\n", "")).not.toMatch(COMMANDS);
    const sheets = readdirSync(path.join(folder, "report")).filter((name) => name.endsWith(".csv"));
    expect(sheets.toSorted()).toEqual(["errors.csv", "rejects.csv"]);
    const errors = table(path.join(folder, "report/errors.csv"));
    expect(errors.length).toBeGreaterThan(400);
    expect(errors.flat().filter(isFormula)).toEqual([]);
    const rejects = table(path.join(folder, "report/rejects.csv"));
    expect(rejects.flatMap((cells) => cells.slice(-4)).filter(isFormula)).toEqual([]);
    const refused = new Set(rejects.slice(1).map((cells) => cells[3]));
    const unexpected = [...refused].filter((text) => !rows.some(({ REMARK }) => REMARK === text));
    expect(unexpected).toEqual([]);
  });
});

/** Control and format characters, surrogates, and Unicode line and paragraph separators. */
const COMMANDS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns whether spreadsheet programs evaluate a cell (https://owasp.org/www-community/attacks/CSV_Injection). */
function isFormula(cell: string): boolean {
  return /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(cell);
}

function naughtyStrings(): readonly string[] {
  const list: unknown = JSON.parse(readFileSync(corpus("naughty-strings/blns.json"), "utf8"));
  const texts = Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [];
  expect(texts.length).toBeGreaterThan(500);
  return texts;
}

function workFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "overlay.yaml"), OVERLAY);
  writeFileSync(path.join(folder, "mapping.yaml"), MAPPING);
  return folder;
}

/** Reads the remarks by business key from the platform's account file. */
function receivedRemarks(file: string): ReadonlyMap<string, string | undefined> {
  const { accounts }: { accounts: readonly { key: string; payload: { remark?: string } }[] } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  return new Map(accounts.map(({ key, payload }) => [key, payload.remark]));
}

function table(file: string): readonly (readonly string[])[] {
  const rows: string[][] = parse(readFileSync(file), { relax_column_count: true, bom: true });
  return rows;
}
