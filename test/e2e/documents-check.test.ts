import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startSwift, type Swift, SWIFT_IS_HERE, SWIFT_KEY } from "../store/swift.ts";
import { BINARY, type CliEnd, type CliOptions, projectFile, runCli } from "./cli.ts";
import { CONFIG, scene, sceneOfTwoSuppliers } from "./documents-scene.ts";
import { CONTRACT, outcomeLines } from "./push-scene.ts";
import { execFileSync } from "node:child_process";
import { temporaryFolder } from "../temporary-folder.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

function documentsCheck(cwd: string, flags: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  return runCli(["documents", "check", ...flags], { cwd, ...options });
}

const NDJSON = ["--format", "ndjson"];

function expectTwoProblems({ stdout }: CliEnd): void {
  const lines = outcomeLines(stdout);
  expect(lines.map(({ key, status }) => `${key} ${status}`)).toEqual(["A valid", "B invalid", "C valid"]);
  expect(lines[1]?.errors).toMatchObject([
    {
      attr: "notes.0.document_paths.0.document_path",
      code: "path_does_not_exist_in_file_store",
      by: "local",
      source: { file: "letters.csv", line: 3, column: "FILE", columnNumber: 3 },
    },
    { attr: "notes.1.document_paths.0.document_path", code: "unsafe_document_path", source: { line: 4 } },
  ]);
}

describe("document paths in a file with records of two import suppliers", () => {
  test("are looked up under the root of each record's supplier", async () => {
    const right = await documentsCheck(sceneOfTwoSuppliers(["A,Hello,2024/a b.pdf", "B,Hello,2024/w.pdf"]), [
      "--store",
      "copy",
      ...NDJSON,
    ]);
    expect(right.code).toBe(0);
    expect(right.stderr).toContain("Document paths: 2, of which 0 missing from copy");
    const wrong = await documentsCheck(sceneOfTwoSuppliers(["A,Hello,2024/w.pdf", "B,Hello,2024/w.pdf"]), [
      "--store",
      "copy",
      ...NDJSON,
    ]);
    expect(outcomeLines(wrong.stdout).map(({ key, status }) => `${key} ${status}`)).toEqual(["A invalid", "B valid"]);
  });

  test("are refused by validate only if they repeat the root of their record's own supplier", async () => {
    const folder = sceneOfTwoSuppliers(["A,Hello,sftp/winter/w.pdf", "B,Hello,sftp/winter/w.pdf"]);
    for (const flags of [[], ["--supplier", "SPRING"]]) {
      const { stdout } = await runCli(["validate", ...NDJSON, ...flags], { cwd: folder });
      const found = outcomeLines(stdout).map(({ key, errors = [] }) => [key, errors.map(({ code }) => code)]);
      expect(found.map(([key, codes]) => [key, codes?.includes("unsafe_document_path")])).toEqual([
        ["A", false],
        ["B", true],
      ]);
    }
  });
});

test("documents check ends at a record whose supplier has another bucket", async () => {
  const store = createServer((_request, reply) => reply.end("<ListBucketResult/>")).listen(0, "127.0.0.1");
  onTestFinished(() => void store.close());
  await once(store, "listening");
  const address = store.address();
  const folder = sceneOfTwoSuppliers(["A,Hello,2024/a b.pdf", "B,Hello,2024/w.pdf"]);
  const config = readFileSync(path.join(folder, "migrate.yaml"), "utf8");
  writeFileSync(
    path.join(folder, "migrate.yaml"),
    config.replace("sftp/winter }", "sftp/winter, bucket: winter-files }"),
  );
  const endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const flags = ["--endpoint", endpoint, "--allow-insecure-loopback", "--region", "eu-west-2", ...NDJSON];
  const env = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const end = await documentsCheck(folder, ["--supplier", "SPRING", ...flags], { env });
  expect([end.code, end.stderr]).toEqual([
    2,
    expect.stringContaining("the documents of supplier WINTER are in another bucket, winter-files"),
  ]);
  const named = await documentsCheck(folder, ["--supplier", "SPRING", "--store", "s3://files", ...flags], { env });
  expect(named.code).toBe(0);
});

describe("documents check with a folder", () => {
  test("reports missing documents with their cells", async () => {
    const end = await documentsCheck(scene(), ["--store", "copy", ...NDJSON]);
    expect(end.code).toBe(1);
    expectTwoProblems(end);
    expect(end.stderr).toContain("Document paths: 4, of which 1 missing from copy, 1 unsafe");
    expect(end.stdout + end.stderr).not.toContain("missing.pdf");
  });

  test("succeeds if all documents exist", async () => {
    const end = await documentsCheck(scene(["A,Hello,2024/a b.pdf"]), ["--store", "copy"]);
    expect(end).toMatchObject({ code: 0, stdout: "" });
  });

  test("checks every record of an input whose plan is written to disk", async () => {
    const ROWS = 40_000;
    const folder = scene();
    const accounts = Array.from({ length: ROWS }, (_, index) => `K${index + 1},${"n".repeat(220)}\n`);
    writeFileSync(path.join(folder, "accounts.csv"), `REF,NAME\n${accounts.join("")}`);
    writeFileSync(path.join(folder, "letters.csv"), "REF,TEXT,FILE\nK1,Hello,2024/a b.pdf\nK40000,Bye,2024/gone.pdf\n");
    const { code, stdout } = await documentsCheck(folder, ["--store", "copy", ...NDJSON]);
    const lines = outcomeLines(stdout);
    expect(code).toBe(1);
    expect(lines.map(({ record }) => record)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
    expect(lines.filter(({ status }) => status !== "valid").map(({ key }) => key)).toEqual(["K40000"]);
  });

  test("caches the compiled contract unless --no-cache is given", async () => {
    const folder = scene(["A,Hello,2024/a b.pdf"]);
    const cache = path.join(folder, "cache");
    const check = (...flags: readonly string[]): Promise<CliEnd> =>
      documentsCheck(folder, ["--store", "copy", ...flags], { env: { XDG_CACHE_HOME: cache } });
    expect((await check("--no-cache")).code).toBe(0);
    expect(existsSync(cache)).toBe(false);
    expect((await check()).code).toBe(0);
    expect(existsSync(cache)).toBe(true);
  });

  test("writes rejects that the suggested command re-imports", async () => {
    const folder = scene();
    const { stderr } = await documentsCheck(folder, ["--store", "copy", "--out", "report"]);
    const [, next = ""] = /Next +migrate (.*)/.exec(stderr) ?? [];
    expect(next).toContain("documents check");
    expect(next).toContain("--store copy");
    expect(readFileSync(path.join(folder, "report/rejects.letters.csv"), "utf8")).toContain(
      "path_does_not_exist_in_file_store",
    );
    expect(await runCli([...next.split(" "), ...NDJSON], { cwd: folder })).toMatchObject({ code: 1 });
  });

  test("says that none of the documents exists, which suggests a wrong store", async () => {
    const folder = scene(["A,Hello,2024/a b.pdf"]);
    const { code, stderr } = await documentsCheck(folder, ["--store", "copy/sftp"]);
    expect(code).toBe(1);
    expect(stderr).toContain("none of them exists");
  });

  test.each([
    ["no such folder", ["--store", "nowhere"], /not a readable folder/],
    ["no records", ["--store", "copy", "--only", "Z"], /0 records/],
    [
      "an operation without document paths",
      ["--store", "copy", "--operation", "no-paths"],
      /no field .* as a document path/,
    ],
    ["no credentials", ["--store", "s3://files"], /AWS_ACCESS_KEY_ID/],
    ["a store that is not an S3 bucket", ["--store", "gs://files"], /not the address of a bucket/],
  ])("is refused: %s", async (_, flags, said) => {
    const folder = scene();
    const plain = `overlay: 1.0.0
info: { title: An operation without documents, version: "1" }
actions:
  - target: $.paths
    update:
      /data-import/plain/:
        post:
          operationId: no-paths
          x-migrate-key: external_account_number
          requestBody: { content: { application/json: { schema: { type: object, properties: { external_account_number: { type: string } } } } } }
          responses: { "201": { description: made } }
`;
    writeFileSync(path.join(folder, "plain.yaml"), plain);
    writeFileSync(
      path.join(folder, "plain-mapping.yaml"),
      "key: external_account_number\nsources: { accounts: { files: accounts.csv } }\npayload: { external_account_number: REF }\n",
    );
    const more = flags.includes("no-paths")
      ? ["--mapping", "plain-mapping.yaml", "--contract", CONTRACT, "--contract", "plain.yaml"]
      : [];
    const { code, stderr } = await documentsCheck(folder, [...flags, ...more]);
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(said);
  });

  test("prints the documented output for the documentation's example", () => {
    const page = readFileSync(projectFile("docs/documents.md"), "utf8");
    const [, script = ""] = /```sh\n(mkdir[^`]*)```/.exec(page) ?? [];
    const [, shown = ""] = /```\n(Document paths[^`]*)```/.exec(page) ?? [];
    expect([script, shown]).not.toContain("");
    const folder = temporaryFolder();
    const here = `cd "${folder}" && ln -s "${projectFile("fixtures")}" fixtures && migrate() { "${process.execPath}" "${BINARY}" "$@" 2>&1; }`;
    const said = execFileSync("bash", ["-c", `${here}\n${script}`], {
      encoding: "utf8",
      timeout: scaledTimeout(240_000),
    });
    for (const part of shown.split("...\n")) expect(said).toContain(part);
  });
});

describe.skipIf(!SWIFT_IS_HERE)("documents check over OpenStack Swift (skipped without Debian's python3-swift)", () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
    await swift.put("files");
    await swift.put("files", "sftp/spring/2024/a b.pdf");
  });
  afterAll(() => swift.stop());

  const env = (more: CliOptions["env"] = {}): CliOptions => ({
    env: {
      AWS_ACCESS_KEY_ID: SWIFT_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: SWIFT_KEY.secretAccessKey,
      AWS_ENDPOINT_URL_S3: swift.endpoint,
      AWS_REGION: "eu-west-2",
      MIGRATE_CA: swift.caFile,
      ...more,
    },
  });

  test("reports documents missing in the supplier's bucket, with their cells", async () => {
    const end = await documentsCheck(scene(), NDJSON, env());
    expect(end.code).toBe(1);
    expectTwoProblems(end);
    expect(end.stderr).toContain("1 missing from s3://files");
  });

  test("reads the access key from a private file, and all other settings from the configuration", async () => {
    const folder = scene();
    const file = path.join(folder, "key");
    writeFileSync(file, "[default]\naws_access_key_id = test:tester\naws_secret_access_key = testing\n");
    chmodSync(file, 0o600);
    const store = `store: { endpoint: "${swift.endpoint}", region: eu-west-2, ca: "${swift.caFile}", credentialsFile: key }`;
    writeFileSync(path.join(folder, "migrate.yaml"), `${CONFIG}${store}\n`);
    const end = await documentsCheck(folder, NDJSON);
    expect(end.code).toBe(1);
    expectTwoProblems(end);
  });

  test.each<readonly [string, CliOptions["env"], object]>([
    ["a wrong key", { AWS_SECRET_ACCESS_KEY: "wrong-secret" }, { code: 4, said: /403/ }],
    ["an unknown certificate authority", { MIGRATE_CA: undefined }, { code: 4, said: /no secure connection/ }],
    ["a missing bucket", { MIGRATE_STORE: "s3://nowhere" }, { code: 2, said: /no bucket nowhere/ }],
    ["another region", { AWS_REGION: "us-east-1" }, { code: 2, said: /--region eu-west-2/ }],
    ["disabled certificate checks", { NODE_TLS_REJECT_UNAUTHORIZED: "0" }, { code: 2, said: /certificate checks/ }],
  ])("fails with %s", async (_, more, expected: { code?: number; said?: RegExp }) => {
    const end = await documentsCheck(scene(), [], env(more));
    expect(end.code).toBe(expected.code);
    expect(end.stderr).toMatch(expected.said ?? /./);
    expect(end.stdout + end.stderr).not.toContain("wrong-secret");
  });
});
