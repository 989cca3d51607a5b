import { describe, expect, test } from "vitest";
import { type CliEnd, projectFile, runCli } from "./cli.ts";
import { CONTRACT, workFolder } from "./validate-scene.ts";

const OWN = projectFile("fixtures/contract/contract.yaml");

describe("contract check", () => {
  test("reports no findings in the project's own contract, where only accounts have a key", async () => {
    const { code, stdout } = await runCli(["contract", "check", OWN]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Example energy platform, data import 1.0: \d operations, 0 findings\n/);
    expect(stdout).toContain("\n2 operations without a business key\n    validate-account, create-notes. A push needs");
    expect(stdout).toContain("        update: { x-migrate-key: external_account_number }\n");
    const json = await runCli(["contract", "check", OWN, "--format", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ withoutKey: ["validate-account", "create-notes"] });
  });

  test("lists errors and warnings with file and line, as text and as JSON", async () => {
    const broken = CONTRACT.replace("x-migrate-key", "x-migrate-kee").replace('schemas/Account"', 'schemas/Acount"');
    const text = await contract(["check", "contract.yaml"], broken);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain("1 operation, 3 findings");
    expect(text.stdout).toMatch(/^contract\.yaml:12 +error +broken-ref\n +.*"#\/components\/schemas\/Acount"/m);
    expect(text.stdout).toMatch(/^contract\.yaml:7 +warning +unknown-keyword\n +"x-migrate-kee"/m);
    const json = await contract(["check", "contract.yaml", "--format", "json"], broken);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      title: "Small platform",
      operations: ["import-account"],
      findings: [
        { severity: "error", code: "broken-ref", place: { file: "contract.yaml", line: 12 } },
        { severity: "warning", message: expect.stringContaining("x-migrate-key"), place: { line: 7 } },
        { severity: "warning", code: "acceptance-unknown", place: { line: 13 } },
      ],
    });
  });

  test("applies an overlay, and reports its targets that match nothing", async () => {
    const overlay = [
      "overlay: 1.0.0",
      'info: { title: Ours, version: "1" }',
      "actions:",
      "  - target: $.components.schemas.Acount",
      "    remove: true",
      "",
    ].join("\n");
    const folder = workFolder({ "ours.yaml": overlay });
    const { stdout } = await runCli(["contract", "check", "contract.yaml", "ours.yaml"], { cwd: folder });
    expect(stdout).toMatch(/ours\.yaml:4/);
  });

  test("is suggested when validate refuses a contract with errors", async () => {
    const folder = workFolder({
      "contract.yaml": CONTRACT.replace('schemas/Account"', 'schemas/Acount"'),
      "a.csv": "REF,NAME,NOTE,MOBILE\nA1,Ada,,\n",
    });
    const flags = ["--contract", "contract.yaml", "--mapping", "mapping.yaml"];
    const { code, stdout, stderr } = await runCli(["validate", "a.csv", ...flags], { cwd: folder });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^ {2}at contract\.yaml:\d+$/m);
    expect(stderr).toContain("migrate contract check contract.yaml");
  });
});

describe("contract show", () => {
  test("lists the operations", async () => {
    const { code, stdout } = await runCli(["contract", "show", OWN]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^import-account\n {4}POST \/data-import\/accounts\/: Import one account$/m);
    expect(stdout.match(/^[\w-]+$/gm)).toEqual(
      expect.arrayContaining(["import-account", "validate-account", "create-notes"]),
    );
  });

  test("prints every field of an operation in full, within 80 columns", async () => {
    const { code, stdout } = await runCli(["contract", "show", OWN, "--operation", "import-account"]);
    expect(code).toBe(0);
    expect(stdout).toContain("POST /data-import/accounts/");
    const attrs = JSON.parse((await shown("json")).stdout).fields.map(({ attr }: { attr: string }) => attr);
    expect(attrs.length).toBeGreaterThan(60);
    const words = new Set(stdout.split(/\s+/));
    expect(attrs.filter((attr: string) => !words.has(attr))).toEqual([]);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("prints the rules next to the fields: type, required, limits", async () => {
    const { stdout } = await contract(
      ["show", "contract.yaml", "--operation", "POST /data-import/accounts/"],
      CONTRACT,
    );
    expect(stdout).toMatch(/^number\n {4}text; required; at most 32 characters$/m);
    expect(stdout).toMatch(/^customers\.\*\.email\n {4}email$/m);
  });

  test("prints a Markdown table with descriptions", async () => {
    const args = ["show", "contract.yaml", "--operation", "import-account", "--format", "markdown"];
    const { stdout } = await contract(args, CONTRACT);
    const rows = stdout.split("\n").filter((line) => line.startsWith("|"));
    expect(rows.slice(0, 3)).toEqual([
      "| attr | type | required | rules | description |",
      "| --- | --- | --- | --- | --- |",
      "| `number` | text | yes | at most 32 characters | The account's number. |",
    ]);
    expect(new Set(rows.map((row) => row.replaceAll("\\|", "").split("|").length))).toEqual(new Set([7]));
  });

  test("prints operations and fields as JSON", async () => {
    const { code, stdout } = await shown("json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      operation: "import-account",
      fields: expect.arrayContaining([
        expect.objectContaining({ attr: "account_type", required: true, rules: ["one of DOMESTIC, BUSINESS"] }),
      ]),
    });
  });
});

function shown(format: string): Promise<CliEnd> {
  return runCli(["contract", "show", OWN, "--operation", "import-account", "--format", format]);
}

function contract(args: readonly string[], text: string): Promise<CliEnd> {
  return runCli(["contract", ...args], { cwd: workFolder({ "contract.yaml": text }) });
}

function fields(...flags: readonly string[]): Promise<CliEnd> {
  return runCli(["contract", "show", OWN, "--operation", "import-account", ...flags]);
}

describe("contract show with filters", () => {
  test("--required shows and counts only the fields that every payload must have", async () => {
    const { code, stdout } = await fields("--required");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^external_account_number\n {4}text; required/m);
    expect(stdout).not.toMatch(/^payment\.method$/m);
    expect(stdout).toMatch(/\n\d+ of \d+ fields\n$/);
    expect(stdout.split("\n").length).toBeLessThan((await fields()).stdout.split("\n").length / 2);
  });

  test("combines --under and --search, in text and in JSON", async () => {
    const { stdout } = await fields("--under", "customers", "--search", "name", "--format", "json");
    const found: { readonly fields: readonly { readonly attr: string }[] } = JSON.parse(stdout);
    expect(found.fields.map(({ attr }) => attr)).toEqual(
      expect.arrayContaining(["customers.*.given_name", "customers.*.family_name"]),
    );
    expect(found.fields.every(({ attr }) => attr.startsWith("customers"))).toBe(true);
  });

  test("refuses an unknown attr with exit code 2 and a suggestion", async () => {
    const { code, stderr } = await fields("--under", "custmers");
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean "customers"?')]);
  });

  test("uses the only operation with a key by default", async () => {
    const { code, stdout } = await runCli(["contract", "show", OWN, "--search", "sort code"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^import-account /)]);
  });
});
