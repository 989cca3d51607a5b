import { describe, expect, test } from "vitest";
import { type CliEnd, runCli } from "./cli.ts";
import { CONTRACT_FLAGS, JOB_FLAGS, JOINED_MAPPING, workFolder } from "./validate-scene.ts";

const JOINED = {
  "mapping.yaml": JOINED_MAPPING,
  "accounts.csv": "REF,NAME\nA1,Ada\nA2,\n",
  "customers.csv": "REF,SEQ,LAST,MAIL\nA1,2,Baker,\nA1,1,Able,a@example.com\n",
};

describe("preview", () => {
  test("shows the first payload and the origin of each value, including values from joined rows", async () => {
    const { code, stdout } = await preview(["--show-values", "--supplier", "ACME"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Record 1 \(A1\), accounts\.csv:2$/m);
    expect(stdout).toMatch(/^ {2}number\n {6}"A1" {2}from accounts\.csv:2, column REF$/m);
    expect(stdout).toMatch(/^ {2}customers\.0\.family_name\n {6}"Able" {2}from customers\.csv:3, column LAST$/m);
    expect(stdout).toMatch(/^ {2}customers\.1\.family_name\n {6}"Baker" {2}from customers\.csv:2, column LAST$/m);
    expect(stdout).toMatch(/^ {2}supplier\n {6}"ACME"/m);
    expect(stdout).not.toContain("Record 2");
  });

  test("shows only the shapes of values without --show-values", async () => {
    const { stdout, stderr } = await preview(["--supplier", "ACME"]);
    expect(stdout).toMatch(/^ {2}customers\.0\.email\n {6}a@/m);
    for (const value of ["Able", "Ada", "example"]) expect(stdout + stderr).not.toContain(value);
  });

  test("shows as many records as --limit allows, with their problems", async () => {
    const { stdout } = await preview(["--supplier", "ACME", "--limit", "5"]);
    expect(stdout.match(/^Record \d/gm)).toEqual(["Record 1", "Record 2"]);
    expect(stdout).toMatch(/^error {2}name {2}required: .*accounts\.csv:3, column NAME/m);
  });

  test("refuses a key that no record has", async () => {
    const { code, stdout, stderr } = await preview(["--supplier", "ACME", "--only", "A3"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("--only: no record has the key A3");
  });

  test("prints one JSON object per record, with the payload only if values may be shown", async () => {
    const flags = ["--supplier", "ACME", "--format", "json"];
    const [masked, open] = await Promise.all([preview(flags), preview([...flags, "--show-values"])]);
    expect(JSON.parse(masked.stdout)).not.toHaveProperty("payload");
    expect(masked.stdout).not.toContain("Able");
    expect(JSON.parse(open.stdout)).toMatchObject({
      record: 1,
      key: "A1",
      source: { file: "accounts.csv", line: 2 },
      payload: {
        number: "A1",
        name: "Ada",
        supplier: "ACME",
        customers: [{ family_name: "Able", email: "a@example.com" }, { family_name: "Baker" }],
      },
      origins: expect.arrayContaining([
        {
          attr: "customers.0.email",
          place: { file: "customers.csv", line: 3, column: "MAIL", columnNumber: 4 },
          from: "column",
          value: "a@example.com",
        },
      ]),
      errors: [],
    });
  });

  test("shows a date-time as it will be sent, with its pointer in the JSON source", async () => {
    const row = {
      number: "A1",
      name: "Ada",
      customers: [{ family_name: "Able", joined_at: "2024-06-01T09:30:00+01:00" }],
    };
    const folder = workFolder({ "a.json": JSON.stringify([row]) });
    const args = ["preview", "a.json", ...CONTRACT_FLAGS, "--format", "json", "--show-values"];
    const { stdout } = await runCli(args, { cwd: folder });
    const [attr, value] = ["customers.0.joined_at", "2024-06-01T08:30:00Z"];
    expect(JSON.parse(stdout)).toMatchObject({
      payload: { customers: [{ joined_at: value }] },
      origins: expect.arrayContaining([
        expect.objectContaining({
          attr,
          value,
          place: expect.objectContaining({ pointer: "/0/customers/0/joined_at" }),
        }),
      ]),
    });
  });

  test("shows pointers for a JSON source whose records are already payloads", async () => {
    const folder = workFolder({ "a.json": '[{"number":"A1","name":"Ada","customers":[{"family_name":"Able"}]}]' });
    const args = ["preview", "a.json", ...CONTRACT_FLAGS, "--format", "json"];
    const { stdout } = await runCli(args, { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      origins: expect.arrayContaining([
        expect.objectContaining({
          attr: "customers.0.family_name",
          place: { file: "a.json", line: 1, pointer: "/0/customers/0/family_name" },
        }),
      ]),
    });
  });
});

function preview(flags: readonly string[]): Promise<CliEnd> {
  return runCli(["preview", ...JOB_FLAGS, ...flags], { cwd: workFolder(JOINED) });
}
