import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli, type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, outcomeLines, statusCounts } from "./push-scene.ts";

const CONTRACT = `
openapi: 3.0.3
info: { title: Customers of companies, version: "1" }
paths:
  /data-import/companies/{companyId}/customers/:
    parameters:
      - { name: companyId, in: path, required: true, schema: { type: string, maxLength: 8 } }
    post:
      operationId: create-customer
      x-migrate-key: reference
      parameters:
        - { name: mode, in: query, required: true, description: How strictly it is judged., schema: { type: string, enum: [strict, lenient] } }
        - { name: X-Source, in: header, schema: { type: string } }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [reference]
              properties: { reference: { type: string }, name: { type: string } }
      responses:
        "201":
          description: The customer was created.
          content:
            application/json:
              schema: { type: object }
`;

const MAPPING = `
payload:
  reference: REF
  name: NAME
parameters:
  companyId: COMPANY
  mode: { value: strict }
  X-Source: { value: "\${supplier}" }
`;

const ROWS = "REF,NAME,COMPANY\n1,Ada,north 1\n2,Grace,a/b\n";

const contractPlace = createTestFolder();
let sandbox: TestSandbox;
let admin: Admin;

beforeAll(async () => {
  const contract = path.join(contractPlace.folder, "contract.yaml");
  writeFileSync(contract, CONTRACT);
  sandbox = await startTestSandbox({ flags: ["--contract", contract] });
  admin = adminOf(sandbox);
});
afterAll(async () => {
  await sandbox.stop();
  contractPlace.remove();
});
beforeEach(() => admin.reset());

function place(): { readonly folder: string; readonly write: (name: string, text: string) => void } {
  const folder = temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": MAPPING, "customers.csv": ROWS });
  return { folder, write: (name, text) => writeFileSync(path.join(folder, name), text) };
}

function migrate(folder: string, args: readonly string[], mapping = "mapping.yaml"): Promise<CliEnd> {
  const [command = "", ...flags] = args;
  const job = ["customers.csv", "--contract", "contract.yaml", "--mapping", mapping];
  return runCli([command, ...job, ...flags], { cwd: folder, env: sandbox.env });
}

describe("the parameters of an operation's requests", () => {
  test("are sent with each record's request", async () => {
    const { folder } = place();
    const { code, stdout } = await migrate(folder, ["push", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 2 });
    expect((await admin.imports()).map(({ path: target }) => target).toSorted()).toEqual([
      "/v1/data-import/companies/a%2Fb/customers/",
      "/v1/data-import/companies/north 1/customers/",
    ]);
  });

  test("are part of a record's identity: the same key at another company is another record", async () => {
    const { folder, write } = place();
    await migrate(folder, ["push"]);
    write("customers.csv", "REF,NAME,COMPANY\n1,Ada,south\n2,Grace,a/b\n");
    const { code, stdout } = await migrate(folder, ["push", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 1, skipped: 1 });
    expect(await admin.imports()).toHaveLength(3);
  });

  test("are part of a record's content, so that validate and push report the same repeated keys", async () => {
    const { folder, write } = place();
    write("customers.csv", "REF,NAME,COMPANY\n1,Ada,north\n1,Ada,south\n2,Grace,a/b\n2,Grace,a/b\n");
    const expected = { invalid: 2, valid: 1, duplicate: 1 };
    for (const command of [["validate"], ["push", "--dry-run"]]) {
      const { stdout } = await migrate(folder, [...command, "--format", "ndjson"]);
      expect(statusCounts(outcomeLines(stdout))).toEqual(expected);
    }
  });

  test("do not prevent records from being excluded, or found in an inventory, by their key", async () => {
    const { folder, write } = place();
    write("customers.csv", "REF,NAME,COMPANY\n1,Ada,\n2,Grace,a/b\n1,Ada,far too long\n");
    write("keys.txt", "1\n2\n3\n");
    write("migrate.yaml", "inventory: keys.txt\n");
    const run = (...args: readonly string[]): Promise<CliEnd> => runCli(args, { cwd: folder, env: sandbox.env });
    expect((await migrate(folder, ["push", "--dry-run"])).code).toBe(1);
    expect((await run("exclude", "3", "--reason", "closed")).stderr).toMatch(/no push or dry run has included 3/);
    expect((await migrate(folder, ["push"])).code).toBe(1);
    expect((await run("exclude", "1", "--reason", "closed")).stdout).toBe("2 records excluded from the migration\n");
    const { stdout } = await run("status");
    expect(stdout).toMatch(/accepted +1 .*\n +excluded +2 /);
    expect(stdout).toMatch(/expected +3\n +seen +2 .*\n +missing +1 /);
    expect((await run("exclude", "--undo", "1")).code).toBe(0);
    expect((await run("status")).stdout).toMatch(/invalid +2 /);
  });

  test("are reported at their cell if they violate the contract, and the record is not sent", async () => {
    const { folder, write } = place();
    write("customers.csv", "REF,NAME,COMPANY\n1,Ada,\n2,Grace,far too long\n");
    const { code, stdout } = await migrate(folder, ["push", "--format", "ndjson"]);
    expect(code).toBe(1);
    expect(
      outcomeLines(stdout).map(({ errors = [] }) => errors.map((one) => [one.attr, one.code, one.source])),
    ).toEqual([
      [["parameters.companyId", "required", expect.objectContaining({ line: 2, column: "COMPANY" })]],
      [["parameters.companyId", "max_length", expect.objectContaining({ line: 3, column: "COMPANY" })]],
    ]);
    expect(await admin.imports()).toEqual([]);
  });

  test.each([
    ["pattern", '"^[^;]*$"'],
    ["choices", '["x\\nX-Other: 1", "\u6F22", "caf\u00E9"]'],
  ])(
    "in headers are invalid if they cannot be sent, even if the contract's %s would allow them",
    async (name, allowed) => {
      const { folder, write } = place();
      const header = "name: X-Source, in: header, schema: { type: string";
      write("contract.yaml", CONTRACT.replace(header, `${header}, ${name === "choices" ? "enum" : name}: ${allowed}`));
      write("source.yaml", MAPPING.replace('X-Source: { value: "${supplier}" }', "X-Source: SOURCE"));
      write(
        "customers.csv",
        'REF,NAME,COMPANY,SOURCE\n1,Ada,a,"x\nX-Other: 1"\n2,Bo,a,\u6F22\n3,Cy,a,caf\u00E9\n4,Di,a,;\n',
      );
      const { code, stdout } = await migrate(folder, ["push", "--format", "ndjson"], "source.yaml");
      expect(code).toBe(1);
      expect(outcomeLines(stdout).map(({ status, errors }) => [status, errors?.map(({ attr }) => attr)])).toEqual([
        ["invalid", ["parameters.X-Source"]],
        ["invalid", ["parameters.X-Source"]],
        ["accepted", undefined],
        ["invalid", ["parameters.X-Source"]],
      ]);
      expect(await admin.imports()).toHaveLength(1);
    },
  );

  test("in the path are invalid if they would lead to another path", async () => {
    const { folder, write } = place();
    write("contract.yaml", CONTRACT.replace("maxLength: 8", "minLength: 0, maxLength: 8"));
    write("empty.yaml", MAPPING.replace("companyId: COMPANY", "companyId: { from: COMPANY, keepEmpty: true }"));
    write("customers.csv", "REF,NAME,COMPANY\n1,Ada,..\n2,Bo,.\n3,Cy,\n4,Di,...\n5,Ed,.a\n");
    const { code, stdout } = await migrate(folder, ["push", "--format", "ndjson"], "empty.yaml");
    expect(code).toBe(1);
    expect(outcomeLines(stdout).map(({ status, errors = [] }) => [status, ...errors.map(({ attr }) => attr)])).toEqual([
      ["invalid", "parameters.companyId"],
      ["invalid", "parameters.companyId"],
      ["invalid", "parameters.companyId"],
      ["accepted"],
      ["accepted"],
    ]);
    expect(stdout).toContain("Cannot be part of a request URL: the value is empty, `.` or `..`.");
  });

  test("in a header are invalid if they cannot be sent, even if the path has a parameter with the same name", async () => {
    const { folder, write } = place();
    write("contract.yaml", CONTRACT.replace("name: X-Source", "name: companyId"));
    write("source.yaml", MAPPING.replace('X-Source: { value: "${supplier}" }', ""));
    write("customers.csv", "REF,NAME,COMPANY\n1,Ada,\u6F22\n2,Bo,a\n");
    const { code, stdout } = await migrate(folder, ["validate", "--format", "ndjson"], "source.yaml");
    expect(code).toBe(1);
    expect(outcomeLines(stdout).map(({ status }) => status)).toEqual(["invalid", "valid"]);
    expect(stdout).toContain("Cannot be sent in a header");
  });

  test("must be set by the mapping, or the command ends before it reads or sends anything", async () => {
    const { folder, write } = place();
    write("without.yaml", "payload: { reference: REF }\nparameters: { mode: { value: strict } }\n");
    for (const command of ["push", "validate", "preview"]) {
      const { code, stderr } = await migrate(folder, [command], "without.yaml");
      expect(code).toBe(2);
      expect(stderr).toContain('POST /data-import/companies/{companyId}/customers/ needs the parameter "companyId"');
    }
    expect(await admin.imports()).toEqual([]);
  });

  test("must also be set if the source contains payloads", async () => {
    const { folder, write } = place();
    write("payloads.ndjson", '{"reference":"1"}\n');
    const args = ["validate", "payloads.ndjson", "--contract", "contract.yaml"];
    const { code, stderr } = await runCli(args, { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain("write a mapping with `parameters`");
  });

  test("are refused with a suggestion if the operation does not have them", async () => {
    const { folder, write } = place();
    write("wrong.yaml", `${MAPPING}  companyID: COMPANY\n`);
    const { code, stderr } = await migrate(folder, ["validate"], "wrong.yaml");
    expect(code).toBe(2);
    expect(stderr).toMatch(/parameters\.companyID.*did you mean "companyId"/s);
  });

  test("are shown by preview, with their source cells, and by contract show", async () => {
    const { folder } = place();
    const preview = await migrate(folder, ["preview", "--limit", "1"]);
    expect(preview.stdout).toMatch(/parameters\.companyId\s.*COMPANY/);
    const show = await runCli(["contract", "show", "contract.yaml", "--operation", "create-customer"], { cwd: folder });
    expect(show.stdout).toContain("Request parameters: path, query and headers");
    expect(show.stdout).toMatch(/parameters\.mode.*required.*one of strict, lenient/s);
  });
});
