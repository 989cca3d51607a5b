import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { copyDemo, projectFile, runCli } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Copies the demo's folder, and removes these lines from the mapping of the copy. */
function folderWithout(...lines: readonly RegExp[]): string {
  const folder = temporaryFolder();
  copyDemo(path.join(folder, "demo"));
  cpSync(projectFile("fixtures/contract"), path.join(folder, "contract"), { recursive: true });
  const file = path.join(folder, "demo/mapping.yaml");
  const kept = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => !lines.some((pattern) => pattern.test(line)));
  writeFileSync(file, kept.join("\n"));
  return path.join(folder, "demo");
}

const mappingOf = (cwd: string): string => readFileSync(path.join(cwd, "mapping.yaml"), "utf8");

const SMALL = {
  "acc.csv": "REF,CITY,X\n1,Derby,s\n2,Leeds,t\n",
  "c.yaml": `
openapi: 3.1.0
info: { title: small, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: imp
      x-migrate-key: ref
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [ref, city, sub]
              properties:
                ref: { type: string }
                city: { type: string }
                sub: { type: object, required: [x], properties: { x: { type: string } } }
      responses: { "201": { description: created } }
`,
};

/** Returns the small contract with these request parameters, and an extract for it. */
function filesWith(...parameters: readonly string[]): Record<string, string> {
  const operation = "      operationId: imp\n";
  return {
    "acc.csv": "REF,CITY,X,TENANT\n1,Derby,s,AB\n2,Leeds,t,CD\n",
    "c.yaml": SMALL["c.yaml"].replace(operation, `${operation}      parameters: [${parameters.join(", ")}]\n`),
  };
}

const SMALL_UPDATE = ["init", "--update", "--mapping", "mapping.yaml", "--contract", "c.yaml", "--operation", "imp"];

describe("init --update", () => {
  test("adds required fields at every depth, and leaves all existing lines unchanged", async () => {
    const cwd = folderWithout(/given_name/, /billing_postcode/, /valid_from/, /reading_date/);
    const before = mappingOf(cwd).split("\n");
    const { code, stdout } = await runCli(["init", "--update"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("  supply_addresses.*.meter_points.*.agreements.*.valid_from\n");
    const after = mappingOf(cwd).split("\n");
    const added = after.filter((line) => !before.includes(line));
    expect(added.map((line) => line.trim().split(" ")[0])).toEqual([
      "given_name:",
      "valid_from:",
      "reading_date:",
      "billing_postcode:",
    ]);
    expect(after.filter((line) => !added.includes(line))).toEqual(before);
    expect((await runCli(["validate", "--quiet"], { cwd })).code).toBe(1);
  });

  test("adds required fields to an object in braces", async () => {
    const cwd = folderWithout(/^ {2}payment:/, /^ {4}method:/, /^ {4}day:/);
    const file = path.join(cwd, "mapping.yaml");
    writeFileSync(file, `${mappingOf(cwd).trimEnd()}\n  payment: { day: PAY_DAY }  # as the bank has it\n`);
    await runCli(["init", "--update"], { cwd });
    expect(mappingOf(cwd)).toContain(
      "payment: { day: PAY_DAY, method: { from: PAYS, lookup: { DD: DIRECT_DEBIT } } }  # as the bank has it\n",
    );
  });

  test.each([
    ["without a line break at its end", "\n", "payload:\n  ref: REF\n  sub: { x: X }"],
    ["with a comment at its end", "\n", "payload:\n  ref: REF\n  sub: { x: X } # last"],
    ["with an empty object in braces", "\n", "payload:\n  ref: REF\n  sub: {}\n"],
    ["with Windows line endings", "\r\n", "payload:\r\n  ref: REF\r\n  sub: { x: X }"],
  ])("keeps a mapping %s valid", async (_, lineBreak, payload) => {
    const head = ["key: ref", "sources:", "  acc: { files: acc.csv, key: REF }", ""].join(lineBreak);
    const cwd = temporaryFolder({ ...SMALL, "mapping.yaml": head + payload });
    const { code, stdout } = await runCli(SMALL_UPDATE, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("Added to mapping.yaml");
    expect(stdout).toMatch(/2 of 2 records/);
    expect(mappingOf(cwd)).toMatch(/^ {2}city: CITY/m);
  });

  test("keeps a JSON mapping in JSON notation", async () => {
    const payload = { ref: "REF", sub: { x: "X" } };
    const before = { key: "ref", sources: { acc: { files: "acc.csv", key: "REF" } }, payload };
    const cwd = temporaryFolder({ ...SMALL, "mapping.yaml": JSON.stringify(before) });
    expect((await runCli(SMALL_UPDATE, { cwd })).code).toBe(0);
    expect(JSON.parse(mappingOf(cwd))).toEqual({ ...before, payload: { ...payload, city: "CITY" } });
  });

  describe("with new required request parameters", () => {
    const tenant = "{ name: tenant, in: query, required: true, schema: { type: string } }";
    const mode = "{ name: mode, in: header, required: true, schema: { enum: [full] } }";
    const other = "{ name: other, in: query, required: true, schema: { type: string } }";
    const written = "key: ref\nsources:\n  acc: { files: acc.csv, key: REF }\npayload:\n  ref: REF\n  sub: { x: X }\n";

    test.each([
      ["at the end of a mapping without parameters", "", ["parameters"]],
      ["to existing parameters", "parameters:\n  tenant: TENANT\n", ["parameters.mode"]],
    ])("adds them %s", async (_, end, added) => {
      const cwd = temporaryFolder({ ...filesWith(tenant, mode), "mapping.yaml": written + end });
      const { code, stdout } = await runCli(SMALL_UPDATE, { cwd });
      expect(stdout).toContain(["Added to mapping.yaml:", ...added, "city", ""].join("\n  ").trimEnd());
      expect([code, stdout]).toEqual([0, expect.stringContaining("2 of 2 records are already valid")]);
      expect(mappingOf(cwd)).toMatch(
        /^ {2}city: CITY.*\nparameters:.*\n {2}tenant: TENANT.*\n {2}mode: \{ value: full \}/m,
      );
    });

    test("lists the parameters that nothing can fill, and validates no records", async () => {
      const cwd = temporaryFolder({ ...filesWith(tenant, other), "mapping.yaml": written });
      const { code, stdout } = await runCli(SMALL_UPDATE, { cwd });
      expect([code, stdout]).toEqual([0, expect.stringContaining("without a matching column: parameters.other")]);
      expect(stdout).toContain("No record was validated");
      expect(mappingOf(cwd)).toContain("  tenant: TENANT");
    });

    test("writes nothing if the mapping has other errors", async () => {
      const wrong = `${written}  nothing: REF\n`;
      const cwd = temporaryFolder({ ...filesWith(tenant), "mapping.yaml": wrong });
      const { code, stderr } = await runCli(SMALL_UPDATE, { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining("nothing: the contract has no such attr")]);
      expect(mappingOf(cwd)).toBe(wrong);
    });
  });

  test("lists the fields of an added object that nothing can fill", async () => {
    const contract = SMALL["c.yaml"].replace("x: { type: string }", "x: { type: string }, y: { type: boolean }");
    const cwd = temporaryFolder({
      ...SMALL,
      "c.yaml": contract.replace("required: [x]", "required: [x, y]"),
      "mapping.yaml": "key: ref\nsources:\n  acc: { files: acc.csv, key: REF }\npayload:\n  ref: REF\n",
    });
    const { code, stdout } = await runCli(SMALL_UPDATE, { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining("  sub\n")]);
    expect(stdout).toContain("Required fields without a matching column: sub.y\n");
  });

  test("changes no byte if nothing is missing", async () => {
    const cwd = folderWithout();
    const before = mappingOf(cwd);
    const { code, stdout } = await runCli(["init", "--update"], { cwd });
    expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: "Nothing was added to mapping.yaml." });
    expect(mappingOf(cwd)).toBe(before);
  });
});

describe("init on the command line", () => {
  const flags = ["--contract", projectFile("fixtures/contract/contract.yaml"), "--operation", "import-account"];

  test("refuses a file with a title above the header, and writes nothing", async () => {
    const cwd = temporaryFolder({ "a.csv": "Accounts of 2026;;\n\nACC_NO;NAME;TOWN\nA1;Ada;Ely\nA2;Bea;Ely\n" });
    const { code, stderr } = await runCli(["init", "a.csv", ...flags], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("a.csv:1: the first line is probably a title, because line 3 looks like the header");
    expect(readdirSync(cwd)).toEqual(["a.csv"]);
  });

  test("overwrites no file", async () => {
    const cwd = temporaryFolder({ "mapping.yaml": "mine", "a.csv": "ACC_NO\nA1\n" });
    const { code, stderr } = await runCli(["init", "a.csv", ...flags], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("mapping.yaml already exists");
    expect(mappingOf(cwd)).toBe("mine");
  });

  test("keeps an existing configuration file, and writes the mapping next to it", async () => {
    const cwd = temporaryFolder({ "migrate.yaml": "supplier: MINE\n", "a.csv": "ACC_NO\nA1\n" });
    const { code, stdout } = await runCli(["init", "a.csv", ...flags], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("Not changed, because it already exists: migrate.yaml");
    expect(readFileSync(path.join(cwd, "migrate.yaml"), "utf8")).toBe("supplier: MINE\n");
  });

  describe("for an operation with required request parameters", () => {
    const tenant = "{ name: tenant, in: query, required: true, schema: { type: string } }";
    const mode = "{ name: mode, in: query, required: true, schema: { type: string, enum: [full, lite] } }";
    const trace = "{ name: trace, in: query, schema: { type: string } }";
    const command = ["init", "acc.csv", "--contract", "c.yaml", "--operation", "imp"];

    test("guesses the columns of the parameters, and validates records", async () => {
      const cwd = temporaryFolder(filesWith(tenant, trace));
      const { code, stdout } = await runCli(command, { cwd });
      expect(code).toBe(0);
      expect(stdout).toContain("of 2 records");
      expect(mappingOf(cwd)).toMatch(/^parameters: .*\n {2}tenant: TENANT +# required; [\d.]+\n/m);
      expect(mappingOf(cwd)).not.toMatch(/trace|Unused columns:[^]*TENANT/);
    });

    test("lists a parameter without a matching column as a TODO, and validates no records", async () => {
      const cwd = temporaryFolder(filesWith(tenant, mode));
      const { code, stdout, stderr } = await runCli(command, { cwd });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^To do: .*parameters\.mode$/m);
      expect(stdout).toContain("No record was validated");
      expect(mappingOf(cwd)).toContain("# TODO mode: required; no matching column; one of full, lite;");
    });

    test("writes a TODO if no parameter has a matching column", async () => {
      const cwd = temporaryFolder(filesWith(mode));
      expect((await runCli(command, { cwd })).code).toBe(0);
      expect(mappingOf(cwd)).toMatch(/\n# TODO parameters: required; no matching column\n {2}# TODO mode: required; /);
      expect((await runCli(["validate"], { cwd })).stderr).toContain('needs the parameter "mode"');
    });
  });

  test("writes a valid mapping even if no column matches", async () => {
    const cwd = temporaryFolder({ ...SMALL, "a.csv": "NOTES\nwas exported\n" });
    const { code, stdout } = await runCli(["init", "a.csv", "--contract", "c.yaml", "--operation", "imp"], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining("0 of 1 record is already valid")]);
    expect(mappingOf(cwd)).toMatch(/^payload: \{\} +# TODO no column matches a field/m);
  });

  test("lists the required fields of steps as TODOs", async () => {
    const cwd = temporaryFolder({
      "a.csv": "reference,team\nR1,North\nR2,South\n",
      "c.yaml": `
openapi: 3.1.0
info: { title: steps, version: "1" }
paths:
  /stage/:
    post:
      operationId: stage
      x-migrate-key: reference
      x-migrate-steps:
        - { operation: stage, kind: stage }
        - { operation: process, kind: process, body: { reference: reference, dry: { value: false } } }
      requestBody: { content: { application/json: { schema: { type: object, required: [reference], properties: { reference: { type: string } } } } } }
      responses: { "201": { description: staged } }
  /process/:
    post:
      operationId: process
      requestBody: { content: { application/json: { schema: {
        type: object, required: [reference, dry, team, window], properties: {
          reference: { type: string }, dry: { type: boolean }, team: { type: string }, window: { type: string, format: date } } } } } }
      responses: { "201": { description: done } }
`,
    });
    const { code, stdout } = await runCli(["init", "a.csv", "--contract", "c.yaml", "--operation", "stage"], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining("To do: steps.process.window\n")]);
    expect(mappingOf(cwd)).toMatch(
      /\nsteps: .*\n {2}process: .*\n {4}team: team .*\n {4}# TODO window: required; no matching column/,
    );
  });

  test("indents the TODOs of nested objects like their fields", async () => {
    const nested = [1, 2, 3].reduce<string>(
      (inner) => `{ type: object, required: [f], properties: { f: ${inner} } }`,
      "{ type: string }",
    );
    const contract = SMALL["c.yaml"].replace(/sub: \{.*\}/, `sub: ${nested}`);
    const cwd = temporaryFolder({ ...SMALL, "c.yaml": contract });
    await runCli(["init", "acc.csv", "--contract", "c.yaml", "--operation", "imp"], { cwd });
    expect(mappingOf(cwd)).toMatch(/\n {2}# TODO sub: .*\n {4}# TODO f: .*\n {6}# TODO f: .*\n {8}# TODO f: /);
  });

  test("reports missing sources, and refuses standard input", async () => {
    expect((await runCli(["init", ...flags], { cwd: temporaryFolder() })).stderr).toContain("no sources are given");
    const { code, stderr } = await runCli(["init", "-", ...flags], { cwd: temporaryFolder(), input: "A\n1\n" });
    expect(code).toBe(2);
    expect(stderr).toContain("init cannot read standard input");
  });

  test("shows shapes instead of values, in text and in JSON", async () => {
    const cwd = temporaryFolder({ "a.csv": "ACC_NO,SURNAME\nA17,Lovelace\nA18,Babbage\n" });
    const { stdout } = await runCli(["init", "a.csv", ...flags, "--format", "json"], { cwd });
    const data: unknown = JSON.parse(stdout);
    expect(data).toMatchObject({
      sources: [
        {
          name: "a",
          rows: 2,
          columns: [{ name: "ACC_NO", different: 2 }, { shapes: [{ shape: "Aa{7}", count: 1 }, {}] }],
        },
      ],
      written: ["mapping.yaml", "migrate.yaml", "mapping.schema.json", "migrate.schema.json"],
      check: { records: 2, valid: 0 },
    });
    expect(stdout).not.toMatch(/Lovelace|Babbage|A17/);
  });
});
