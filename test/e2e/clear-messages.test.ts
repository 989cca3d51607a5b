import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { projectFile, runCli } from "./cli.ts";

const CONTRACT = projectFile("fixtures/contract/contract.yaml");

test.each([
  ["status", "--watch"],
  ["validate", "--quiet"],
  ["ledger check", "--verbose"],
])(
  "%s %s=secret: the message says that the option takes no value, and does not show the value",
  async (command, flag) => {
    const { code, stderr } = await runCli([...command.split(" "), `${flag}=secret`], { cwd: temporaryFolder() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`option '${flag}' takes no value`)]);
    expect(stderr).not.toContain("secret");
  },
);

test.each(["--wach", "--$&"])("the option %s, which does not exist, is reported without its value", async (flag) => {
  const { code, stderr } = await runCli(["status", `${flag}=secret`], { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`unknown option '${flag}'`)]);
  expect(stderr).not.toContain("secret");
});

test.each([
  [["--quiet", "validate", "a.csv"], "option '--quiet' must follow the command 'validate'"],
  [["--contract", "c.json", "validate"], "option '--contract' must follow the command 'validate'"],
  [["contract", "--format=json", "show"], "option '--format' must follow the command 'show'"],
  [["--nonsense", "validate"], "unknown option '--nonsense'"],
])("an option before its command is refused: %j", async (words, message) => {
  const { code, stderr } = await runCli(words, { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  ["push", "`migrate report` renders the results"],
  ["help", "then run the same command again"],
])("if stdout is full, the hint depends on the command: %s", async (command, hint) => {
  const under = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
  const { code, stderr } = await runCli([command, "--help"], { under });
  expect([code, stderr]).toEqual([6, expect.stringContaining("cannot write to stdout: ENOSPC")]);
  expect(stderr).toContain(hint);
});

test("the hint for a missing certificate of a local platform is to start the sandbox", async () => {
  const words = ["token", "--base-url", "https://127.0.0.1:1/v1/", "--ca", ".migrate/sandbox/ca.pem"];
  const { code, stderr } = await runCli(words, { cwd: temporaryFolder(), env: { MIGRATE_API_KEY: "key" } });
  expect([code, stderr]).toEqual([2, expect.stringContaining(".migrate/sandbox/ca.pem: no such file")]);
  expect(stderr).toContain("start the sandbox first: `migrate sandbox`");
  const far = await runCli(words.with(2, "https://platform.example/v1/"), {
    cwd: temporaryFolder(),
    env: { MIGRATE_API_KEY: "key" },
  });
  expect([far.code, far.stderr]).toEqual([2, expect.not.stringContaining("sandbox first")]);
});

describe("an operation in a mapping that the settings override", () => {
  const MAPPING = "operation: import-account\npayload: { external_account_number: REF }\n";

  async function messagesWith(operation: string): Promise<string> {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, "mapping.yaml"), MAPPING);
    writeFileSync(path.join(cwd, "migrate.yaml"), `operation: ${operation}\n`);
    writeFileSync(path.join(cwd, "a.csv"), "REF\n1\n");
    return (await runCli(["validate", "a.csv", "--contract", CONTRACT, "-m", "mapping.yaml"], { cwd })).stderr;
  }

  test("is reported with the settings that can override it", async () => {
    expect(await messagesWith("validate-account")).toContain(
      "mapping.yaml:1: the operation import-account is not used: --operation, MIGRATE_OPERATION or `operation` in " +
        "migrate.yaml overrides it with validate-account",
    );
  });

  test("is not reported if the settings name the same operation by its path", async () => {
    expect(await messagesWith("POST /data-import/accounts/")).not.toContain("is not used");
  });
});

test.each(["PUT /accounts/", "PATCH /accounts/"])(
  "push refuses to send records to the operation %s",
  async (operation) => {
    const cwd = temporaryFolder();
    const schema = { type: "object", properties: { reference: { type: "string" } } };
    const written = {
      "x-migrate-key": "reference",
      requestBody: { content: { "application/json": { schema } } },
      responses: { 201: { content: { "application/json": { schema } } } },
    };
    const paths = { "/accounts/": { post: written, put: written, patch: written } };
    writeFileSync(
      path.join(cwd, "c.json"),
      JSON.stringify({ openapi: "3.0.3", info: { title: "T", version: "1" }, paths }),
    );
    writeFileSync(path.join(cwd, "a.ndjson"), '{"reference":"1"}\n');
    const words = ["push", "a.ndjson", "--contract", "c.json", "--base-url", "https://127.0.0.1:1/v1/"];
    const env = { MIGRATE_API_KEY: "key" };
    const refused = await runCli([...words, "--operation", operation, "--dry-run"], { cwd, env });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`^migrate: records cannot be sent to the operation "${operation}"`),
    });
    expect((await runCli([...words, "--dry-run"], { cwd, env })).code).toBe(0);
  },
);

test("a lookup table that is a folder is reported with the line in the mapping", async () => {
  const mapping = `payload:
  external_account_number: REF
  account_type: { from: TYPE, lookup: . }
`;
  const cwd = temporaryFolder({ "mapping.yaml": mapping, "a.csv": "REF,TYPE\nA1,D\n" });
  const flags = ["--contract", CONTRACT, "--operation", "import-account", "--mapping", "mapping.yaml"];
  const { code, stderr } = await runCli(["validate", "a.csv", ...flags], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining(".: is a folder, not a regular file")]);
  expect(stderr).toContain("at mapping.yaml:3");
});
