import { createServer } from "node:http";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli, startCli } from "./cli.ts";
import { type AccountCells, CONTRACT, type Extract, goodAccounts, useSandbox, writeExtract } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

interface FoundCheck {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly text: string;
  readonly fix?: string;
  readonly exitCode: number;
  readonly figures?: Readonly<Record<string, number>>;
}

const CONFIG = `contract: ${CONTRACT}\nmapping: mapping.yaml\n`;

function scene(extract: Extract = { accounts: goodAccounts(3) }, config: string = CONFIG): string {
  const folder = temporaryFolder({ "migrate.yaml": config });
  writeExtract(folder, extract);
  return folder;
}

async function migrate(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<CliEnd> {
  return runCli(args, { cwd, env: { ...sandbox.env, ...env } });
}

/** What `doctor --format json` says, and a way to one of its checks. */
async function examine(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<{
  readonly code: number | null;
  readonly checks: readonly FoundCheck[];
  readonly of: (name: string) => FoundCheck;
}> {
  const { code, stdout, stderr } = await migrate(cwd, ["doctor", "--format", "json", ...args], env);
  if (!stdout.startsWith("{")) throw new Error(`no checks: ${stdout}${stderr}`);
  const { checks, exitCode }: { readonly checks: readonly FoundCheck[]; readonly exitCode: number } =
    JSON.parse(stdout);
  expect(exitCode).toBe(code);
  const of = (name: string): FoundCheck => {
    const found = checks.find((check) => check.name === name);
    if (found === undefined) throw new Error(`no check ${name} among ${checks.map((check) => check.name).join(", ")}`);
    return found;
  };
  return { code, checks, of };
}

describe("migrate doctor, where everything is in place", () => {
  test("ends with 0, with a mark and a line for every check, and shows neither key nor token", async () => {
    const { code, stdout, stderr } = await migrate(scene(), ["doctor"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of [
      "environment",
      "configuration",
      "contract",
      "operation",
      "rules",
      "mapping",
      "input",
      "join",
      "target",
      "credentials",
      "tls",
      "clock",
      "token",
      "disk",
      "ledger",
    ]) {
      expect(stdout).toMatch(new RegExp(`^✓ ${name} +\\S`, "m"));
    }
    expect(stdout).toMatch(/^\d+ checks.*; exit code 0$/m);
    expect(stdout).not.toContain(sandbox.ready.apiKey);
    expect(stdout).not.toMatch(/eyJ/);
    expect(stdout.split("\n").filter((line) => line.length > 80 && !line.includes(path.sep))).toEqual([]);
  });

  test("names where settings and credentials come from, and what the certificate says", async () => {
    const { of } = await examine(scene(), ["--limit", "2"]);
    expect(of("configuration").text).toMatch(/^migrate\.yaml; sets contract, mapping; .*supplier by MIGRATE_SUPPLIER/);
    expect(of("configuration").text).toContain("limit by --limit");
    expect(of("credentials").text).toBe("an API key from MIGRATE_API_KEY");
    expect(of("tls").text).toMatch(/TLSv1\.3, certificate of .+ until \d{4}-\d\d-\d\d, trusted through /);
    expect(of("token").text).toMatch(/^obtained for sandbox-organisation, until \d{4}-.*Z, sent as Token$/);
  });

  test("sends no record, and leaves neither ledger nor report", async () => {
    const folder = scene();
    expect((await examine(folder)).code).toBe(0);
    expect(await admin.imports()).toEqual([]);
    expect(await admin.tokenRequests()).toHaveLength(1);
    expect(existsSync(path.join(folder, ".migrate"))).toBe(false);
  });

  test("counts the required attrs that the mapping fills", async () => {
    const { of } = await examine(scene());
    const { mapped = 0, required = 0, missing } = of("mapping").figures ?? {};
    expect(of("mapping").text).toMatch(new RegExp(`^${mapped} of ${required} required attrs`));
    expect(mapped).toBeGreaterThan(5);
    expect(mapped).toBeLessThan(required);
    expect(missing).toBe(0);
  });
});

describe("migrate doctor --offline", () => {
  test("opens no connection and says which checks that leaves out", async () => {
    const { code, checks } = await examine(scene(), ["--offline"]);
    expect(code).toBe(0);
    const left = checks.filter(({ status }) => status === "skipped");
    expect(left.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      "tls: not looked at: offline",
      "clock: not looked at: offline",
      "token: not looked at: offline",
    ]);
    expect(await admin.history()).toEqual([]);
  });

  test("still says of a given token when it ends", async () => {
    const token = `e30.${Buffer.from(JSON.stringify({ sub: "ours", exp: 1_600_000_000 })).toString("base64url")}.sig`;
    const { code, of } = await examine(scene(), ["--offline"], { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: token });
    expect(code).toBe(4);
    expect(of("token")).toMatchObject({ status: "failed", text: expect.stringContaining("2020-09-13T12:26:40Z") });
  });
});

describe("migrate doctor, where something is missing", () => {
  test("finds that nothing is configured, without a crash", async () => {
    const bare = {
      MIGRATE_API_KEY: undefined,
      MIGRATE_BASE_URL: undefined,
      MIGRATE_CA: undefined,
      MIGRATE_SUPPLIER: undefined,
    };
    const { code, of } = await examine(temporaryFolder(), [], bare);
    expect(code).toBe(2);
    expect(of("configuration").status).toBe("warning");
    expect(of("contract")).toMatchObject({ status: "failed", exitCode: 2, fix: expect.stringContaining("--contract") });
    expect(of("input").status).toBe("skipped");
    expect(of("target").status).toBe("skipped");
    expect(of("ledger").status).toBe("ok");
  });

  test("says file and line of a configuration that cannot be understood, and what that leaves out", async () => {
    const { code, of } = await examine(scene(undefined, `${CONFIG}suplier: X\n`));
    expect(code).toBe(2);
    expect(of("configuration")).toMatchObject({ status: "failed", text: expect.stringContaining("migrate.yaml:3") });
    expect(of("contract")).toMatchObject({ status: "skipped", text: "needs the configuration" });
  });

  test("looks at everything else when the target does not exist", async () => {
    const { code, of } = await examine(scene(), ["--target", "lvie"]);
    expect(code).toBe(2);
    expect(of("configuration")).toMatchObject({ status: "failed", text: 'there is no target "lvie"' });
    expect(of("contract").status).toBe("ok");
    expect(of("input").figures).toMatchObject({ records: 3 });
  });

  test("looks at input and platform when the contract cannot be read", async () => {
    const { code, of } = await examine(scene(undefined, "contract: none.yaml\nmapping: mapping.yaml\n"));
    expect(code).toBe(2);
    expect(of("contract")).toMatchObject({ status: "failed", text: expect.stringContaining("none.yaml") });
    expect(of("mapping").status).toBe("skipped");
    expect(of("join").status).toBe("ok");
    expect(of("token").status).toBe("ok");
  });

  test("names what no row can fill", async () => {
    const folder = scene();
    writeFileSync(
      path.join(folder, "mapping.yaml"),
      "operation: import-account\nkey: external_account_number\nsources: { accounts: { files: accounts.csv } }\n" +
        "payload: { external_account_number: REF }\n",
    );
    const { code, of } = await examine(folder);
    expect(code).toBe(1);
    expect(of("mapping")).toMatchObject({ status: "failed", text: expect.stringMatching(/nothing fills \w+, \w+/) });
  });

  test("says of a misspelt variable what may have been meant", async () => {
    const { of } = await examine(scene(), ["--offline"], { MIGRATE_SUPLIER: "X" });
    expect(of("environment")).toMatchObject({
      status: "warning",
      text: 'MIGRATE_SUPLIER is set, and nothing reads it; did you mean "MIGRATE_SUPPLIER"?',
    });
  });

  test("sends nothing to a platform whose certificate would not be checked", async () => {
    const { code, of } = await examine(scene(), [], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(code).toBe(2);
    expect(of("tls").status).toBe("skipped");
    expect(of("token").status).toBe("skipped");
  });

  test("finds that certificates would not be checked, and goes on", async () => {
    const { code, of } = await examine(scene(), ["--offline"], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(code).toBe(2);
    expect(of("environment").status).toBe("failed");
    expect(of("contract").status).toBe("ok");
  });
});

describe("the joins that migrate doctor counts", () => {
  const accounts: readonly AccountCells[] = goodAccounts(4);

  test("fail for rows without a parent, with both counts", async () => {
    const customers = [{ REF: "EXT-00001" }, { REF: "EXT-00002" }, { REF: "ext-1" }];
    const { code, of } = await examine(scene({ accounts, customers }));
    expect(code).toBe(1);
    expect(of("join")).toMatchObject({
      status: "failed",
      text: "customers.REF -> accounts.REF: 2 of 3 rows match (66.6%); 2 of 4 rows of accounts have some",
      figures: { parents: 4, parentsWithRows: 2, joined: 2, orphans: 1 },
    });
  });

  test("fail when nothing matches, and hide nothing else", async () => {
    const { code, of } = await examine(scene({ accounts, customers: [{ REF: "1" }, { REF: "2" }] }));
    expect(code).toBe(2);
    expect(of("join")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("0 of 2 rows match accounts.REF"),
    });
    expect(of("input").figures).toMatchObject({ records: 4 });
  });

  test("are those of the first records with --limit", async () => {
    const { code, of } = await examine(scene({ accounts, customers: [{ REF: "EXT-00001" }, { REF: "none" }] }), [
      "--limit",
      "2",
    ]);
    expect(code).toBe(0);
    expect(of("input").figures).toEqual({ records: 2, unreadable: 0 });
    expect(of("join").figures).toEqual({ parents: 2, parentsWithRows: 1, joined: 1 });
  });
});

describe("the platform that migrate doctor asks", () => {
  test("fails when its certificate is not trusted, and the rest is looked at", async () => {
    const { code, of } = await examine(scene(), [], { MIGRATE_CA: undefined });
    expect(code).toBe(4);
    expect(of("tls")).toMatchObject({ status: "failed", exitCode: 4, fix: expect.stringContaining("--ca") });
    expect(of("token")).toMatchObject({ status: "skipped", text: "needs the connection" });
    expect(of("disk").status).toBe("ok");
  });

  test("fails with 3 when nobody answers there", async () => {
    const { code, of } = await examine(scene(), [], { MIGRATE_BASE_URL: "https://127.0.0.1:1/v1/" });
    expect(code).toBe(3);
    expect(of("tls")).toMatchObject({ status: "failed", text: expect.stringContaining("ECONNREFUSED") });
  });

  test("fails with 4 when it gives no token for the key", async () => {
    const wrong = { MIGRATE_API_KEY: "wrong-key-canary" };
    const { code, of } = await examine(scene(), [], wrong);
    expect(code).toBe(4);
    expect(of("token")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("gave no token for the API key"),
    });
  });

  test("has another clock", async () => {
    const server = createServer((_, reply) => {
      reply.setHeader("date", new Date(Date.now() + 3_600_000).toUTCString()).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const env = { MIGRATE_BASE_URL: `http://127.0.0.1:${port}/v1/`, MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "t-1" };
    const { of } = await examine(scene(), ["--allow-insecure-loopback"], env);
    expect(of("tls").status).toBe("warning");
    expect(of("clock")).toMatchObject({
      status: "warning",
      text: expect.stringMatching(/^3(599|600|601) s behind the platform's$/),
    });
  });
});

describe("the ledger that migrate doctor looks into", () => {
  test("is sound after a push, with what became of the last run", async () => {
    const folder = scene();
    expect((await migrate(folder, ["push", "--quiet"])).code).toBe(0);
    const { code, of } = await examine(folder);
    expect(code).toBe(0);
    expect(of("ledger").figures).toMatchObject({ runs: 1, records: 3, findings: 0 });
    expect(of("last run").text).toMatch(/: 3 accepted$/);
    expect(of("ambiguous").status).toBe("ok");
  });

  test("has records whose fate nobody knows: 5, and the command that settles them", async () => {
    const folder = scene();
    await admin.faults({ resetAfter: { every: 1 } });
    expect(
      (await migrate(folder, ["push", "--quiet", "--contract", CONTRACT, "--contract", "no-dedupe.yaml"])).code,
    ).toBe(5);
    const { code, of } = await examine(folder);
    expect(code).toBe(5);
    expect(of("ambiguous")).toMatchObject({
      status: "failed",
      figures: { ambiguous: 3 },
      fix: expect.stringMatching(/^migrate reconcile \d{8}-/),
    });
  });

  test("belongs to another supplier", async () => {
    const folder = scene();
    expect((await migrate(folder, ["push", "--quiet"])).code).toBe(0);
    const { of } = await examine(folder, ["--supplier", "OTHER"]);
    expect(of("ledger's target")).toMatchObject({
      status: "failed",
      exitCode: 2,
      text: expect.stringContaining("OTHER"),
    });
  });

  test("is damaged: 6, and nothing else is left out", async () => {
    const folder = scene();
    expect((await migrate(folder, ["push", "--quiet"])).code).toBe(0);
    const ledger = path.join(folder, ".migrate/ledger.db");
    const bytes = readFileSync(ledger);
    writeFileSync(ledger, bytes.fill("x", Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 5));
    const { code, of } = await examine(folder);
    expect(code).toBe(6);
    expect(of("ledger")).toMatchObject({ status: "failed", fix: expect.stringContaining("ledger repair") });
    expect(of("token").status).toBe("ok");
  });

  test("is in use by a push: 7", async () => {
    const folder = scene();
    await admin.faults({ hangAfter: { at: [1] } });
    const push = startCli(["push", "--concurrency", "1"], { cwd: folder, env: sandbox.env });
    onTestFinished(() => push.kill("SIGKILL"));
    await expect.poll(async () => (await admin.imports()).length, { timeout: 60_000 }).toBeGreaterThan(0);
    const { code, of } = await examine(folder);
    expect(code).toBe(7);
    expect(of("last run")).toMatchObject({ status: "failed", fix: expect.stringContaining("migrate status") });
  });
});
