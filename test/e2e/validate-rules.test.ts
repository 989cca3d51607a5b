import { describe, expect, test } from "vitest";
import { type CliEnd, runCli } from "./cli.ts";
import { JOINED_MAPPING, linesOf, workFolder } from "./validate-scene.ts";

const RULES = `overlay: 1.0.0
info: { title: Rules, version: "1" }
actions:
  - target: $
    update:
      x-rule-settings:
        emails_wanted: { type: boolean }
      x-rule-values:
        is_business: ends-with(name, "Ltd")
  - target: $.components.schemas.Account
    update:
      x-rules:
        - code: business_with_customers
          kind: forbidden-when
          when: $is_business
          fields: [customers]
        - code: customer_email_required
          kind: required-when
          each: customers[]
          when: config.emails_wanted
          fields: [email]
          attr: customers[].email
          message: This instance wants an e-mail address of each customer.
        - { code: unknown_name, kind: in-set, value: name, source: names, columns: name, attr: name, severity: warning }
`;

const ACCOUNTS = "REF,NAME,NOTE,MOBILE\nA1,Ada,,\nA2,Bolt Ltd,,\n";
const CUSTOMERS = "REF,SEQ,LAST,MAIL\nA1,1,Byron,ada@example.com\nA1,2,King,\nA2,1,Smith,jo@example.com\n";

const FLAGS = [
  "--contract",
  "contract.yaml",
  "--contract",
  "rules.yaml",
  "--mapping",
  "mapping.yaml",
  "--supplier",
  "S",
];

function folderWith(more: Readonly<Record<string, string>> = {}): string {
  return workFolder({
    "mapping.yaml": JOINED_MAPPING,
    "rules.yaml": RULES,
    "accounts.csv": ACCOUNTS,
    "customers.csv": CUSTOMERS,
    ...more,
  });
}

function validate(folder: string, ...more: readonly string[]): Promise<CliEnd> {
  return runCli(["validate", ...FLAGS, "--format", "ndjson", ...more], { cwd: folder });
}

describe("rules over several fields", () => {
  test("are checked with the operator's code and attr, and rules without their settings are skipped with one notice", async () => {
    const { code, stdout, stderr } = await validate(folderWith());
    expect(code).toBe(1);
    expect(linesOf(stdout)).toMatchObject([
      { key: "A1", status: "valid" },
      {
        key: "A2",
        status: "invalid",
        errors: [{ attr: "non_field_errors", code: "business_with_customers", severity: "error", by: "local" }],
      },
    ]);
    expect(stderr).toContain("2 of 3 rules are skipped");
    expect(stderr).toContain("references.names, rules.emails_wanted");
  });

  test("are skipped with a notice in the singular if a single rule lacks its setting", async () => {
    const folder = folderWith({
      "migrate.yaml": "references: { names: names.csv }\n",
      "names.csv": "name,note\nAda,x\n",
    });
    expect((await validate(folder)).stderr).toContain("1 of 3 rules is skipped");
    const { stdout } = await runCli(["contract", "check", "contract.yaml", "rules.yaml"], { cwd: folder });
    expect(stdout).toContain("    1  rule is skipped");
  });

  test("read settings and reference lists from migrate.yaml", async () => {
    const config = "rules: { emails_wanted: true }\nreferences: { names: names.csv }\n";
    const folder = folderWith({ "migrate.yaml": config, "names.csv": "name,note\nAda,x\n" });
    const { stdout, stderr } = await validate(folder);
    expect(stderr).not.toContain("skipped");
    expect(linesOf(stdout)).toMatchObject([
      {
        key: "A1",
        errors: [
          {
            attr: "customers.1.email",
            code: "customer_email_required",
            detail: "This instance wants an e-mail address of each customer.",
            source: { file: "customers.csv", line: 3, column: "MAIL" },
          },
        ],
      },
      {
        key: "A2",
        errors: [{ code: "business_with_customers" }, { attr: "name", code: "unknown_name", severity: "warning" }],
      },
    ]);
  });

  test.each([
    ["rules: { emails_wnated: true }", "rules.emails_wnated", "emails_wanted"],
    ["rules: { emails_wanted: maybe }", "rules.emails_wanted: must be true or false", ""],
    ["references: { nmes: names.csv }", "references.nmes", "names"],
    ["references: { names: missing.csv }", "missing.csv", ""],
    ["references: { names: customers.csv }", 'needs a column "name"', "LAST"],
  ])("refuse invalid settings: %s", async (config, message, hint) => {
    const { code, stdout, stderr } = await validate(folderWith({ "migrate.yaml": config }));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  test("can come from an overlay of the package, found by its name, and a misspelt name gets a suggestion", async () => {
    const { code, stderr } = await runCli(["contract", "check", "contract.yaml", "overlay:gbb"], { cwd: folderWith() });
    expect(code).toBe(2);
    expect(stderr).toContain('has no bundled overlay named "gbb"');
    expect(stderr).toContain("overlay:gb");
    const shipped = await runCli(["contract", "check", "contract.yaml", "overlay:gb"], { cwd: folderWith() });
    expect(shipped.stdout).toMatch(/^overlay:gb:\d+/m);
  });

  test("are checked even if their overlay was written for another document, and the run reports this once", async () => {
    const writtenFor = 'x-migrate-written-for: { document: that of last year, mark: "0" }\nactions:';
    const folder = folderWith({ "rules.yaml": RULES.replace("actions:", writtenFor) });
    const { code, stderr } = await validate(folder);
    expect(code).toBe(1);
    expect(stderr.match(/rules\.yaml: the overlay was written for another document, that of last year/g)).toHaveLength(
      1,
    );
  });

  test("are listed by contract check", async () => {
    const folder = folderWith();
    const { stdout } = await runCli(["contract", "check", "contract.yaml", "rules.yaml"], { cwd: folder });
    expect(stdout).toContain("0 published codes, 3 rules\n    2  rules are skipped");
    const json = await runCli(["contract", "check", "contract.yaml", "rules.yaml", "--format", "json"], {
      cwd: folder,
    });
    expect(JSON.parse(json.stdout)).toMatchObject({
      coverage: { rules: 3, skipped: 2, missing: ["references.names", "rules.emails_wanted"] },
    });
  });
});
