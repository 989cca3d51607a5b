import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

import { CONFIG, scene, useDoctor } from "./doctor-scene.ts";

const { sandbox, admin, migrate, examine } = useDoctor();

describe("migrate doctor with a complete setup", () => {
  test("exits with 0, prints a line with a mark for every check, and shows neither the key nor the token", async () => {
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

  test("names the origins of settings and credentials, and the details of the certificate", async () => {
    const { of } = await examine(scene(), ["--limit", "2"]);
    expect(of("configuration").text).toMatch(
      /^migrate\.yaml; sets contract, mapping; .*supplier from MIGRATE_SUPPLIER/,
    );
    expect(of("configuration").text).toContain("limit from --limit");
    expect(of("credentials").text).toBe("an API key from MIGRATE_API_KEY");
    expect(of("tls").text).toMatch(
      /TLSv1\.3, certificate for .+, issued by .+, valid until \d{4}-\d\d-\d\d, trusted through /,
    );
    expect(of("token").text).toMatch(/^obtained for sandbox-organisation, valid until \d{4}-.*Z, sent as Token$/);
  });

  test("sends no records, and creates neither a ledger nor a report", async () => {
    const folder = scene();
    expect((await examine(folder)).code).toBe(0);
    expect(await admin.imports()).toEqual([]);
    expect(await admin.tokenRequests()).toHaveLength(1);
    expect(existsSync(path.join(folder, ".migrate"))).toBe(false);
  });

  test("shows how many required attrs the mapping fills", async () => {
    const { of } = await examine(scene());
    const { mapped = 0, required = 0, missing } = of("mapping").figures ?? {};
    expect(of("mapping").text).toMatch(new RegExp(`^${mapped} of ${required} required attrs`));
    expect(mapped).toBeGreaterThan(5);
    expect(mapped).toBeLessThan(required);
    expect(missing).toBe(0);
  });
});

describe("migrate doctor --offline", () => {
  test("opens no connections and lists the skipped checks", async () => {
    const { code, checks } = await examine(scene(), ["--offline"]);
    expect(code).toBe(0);
    const left = checks.filter(({ status }) => status === "skipped");
    expect(left.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      "tls: needs a connection, but none is opened (--offline, or a failed environment check)",
      "clock: needs a connection, but none is opened (--offline, or a failed environment check)",
      "token: needs a connection, but none is opened (--offline, or a failed environment check)",
    ]);
    expect(await admin.history()).toEqual([]);
  });

  test("still shows the expiry of a given token", async () => {
    const token = `e30.${Buffer.from(JSON.stringify({ sub: "ours", exp: 1_600_000_000 })).toString("base64url")}.sig`;
    const { code, of } = await examine(scene(), ["--offline"], { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: token });
    expect(code).toBe(4);
    expect(of("token")).toMatchObject({ status: "failed", text: expect.stringContaining("2020-09-13T12:26:40Z") });
  });
});

describe("migrate doctor with an incomplete setup", () => {
  test("names the missing settings, and skips the checks that need them", async () => {
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

  test("reports the file and line of an invalid configuration, and the checks that it prevents", async () => {
    const { code, of } = await examine(scene(undefined, `${CONFIG}suplier: X\n`));
    expect(code).toBe(2);
    expect(of("configuration")).toMatchObject({ status: "failed", text: expect.stringContaining("migrate.yaml:3") });
    expect(of("contract")).toMatchObject({ status: "skipped", text: "needs the configuration" });
  });

  test("refuses a proxy address with credentials, and does not show them", async () => {
    const env = { MIGRATE_PROXY: "http://u:canary@127.0.0.1:1" };
    const { code, checks, of } = await examine(scene(), ["--offline"], env);
    expect(code).toBe(2);
    expect(of("target")).toMatchObject({ status: "failed", text: "the proxy's URL must not contain credentials" });
    expect(JSON.stringify(checks)).not.toContain("canary");
  });

  test("runs all other checks if the target does not exist", async () => {
    const { code, of } = await examine(scene(), ["--target", "lvie"]);
    expect(code).toBe(2);
    expect(of("configuration")).toMatchObject({ status: "failed", text: 'unknown target "lvie"' });
    expect(of("contract").status).toBe("ok");
    expect(of("input").figures).toMatchObject({ records: 3 });
  });

  test("still checks the input and the platform if the contract cannot be read", async () => {
    const { code, of } = await examine(scene(undefined, "contract: none.yaml\nmapping: mapping.yaml\n"));
    expect(code).toBe(2);
    expect(of("contract")).toMatchObject({ status: "failed", text: expect.stringContaining("none.yaml") });
    expect(of("mapping").status).toBe("skipped");
    expect(of("join").status).toBe("ok");
    expect(of("token").status).toBe("ok");
  });

  test("fails for a corrections file that a push cannot read", async () => {
    const folder = scene(undefined, `${CONFIG}corrections: fixes.csv\n`);
    const { code, of } = await examine(folder);
    expect(code).toBe(2);
    expect(of("input")).toMatchObject({
      status: "failed",
      text: expect.stringMatching(/^fixes\.csv: no such file/),
      fix: expect.stringContaining("migrate corrections add"),
    });
    const cell = ["EXT-00001", "NAME", "Ada Example"];
    expect((await migrate(folder, ["corrections", "add", "--in", "accounts", ...cell])).code).toBe(0);
    expect((await examine(folder)).code).toBe(0);
  });

  test("names required fields that no row can fill", async () => {
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

  test("prints each of several errors in the mapping on its own line", async () => {
    const folder = scene();
    writeFileSync(path.join(folder, "mapping.yaml"), "payload:\n  billing_nam: REF\n  account_typ: REF\n");
    const { stdout } = await migrate(folder, ["doctor"]);
    expect(stdout).toMatch(
      /✗ mapping +mapping\.yaml: 2 errors in the mapping\n +mapping\.yaml:2:.*\n(?: .*\n)* +mapping\.yaml:3:/,
    );
    expect(stdout).not.toContain(String.raw`\u000a`);
  });

  test("suggests the correct name of a misspelt variable", async () => {
    const { of } = await examine(scene(), ["--offline"], { MIGRATE_SUPLIER: "X" });
    expect(of("environment")).toMatchObject({
      status: "warning",
      text: 'MIGRATE_SUPLIER is set, but no command reads it; did you mean "MIGRATE_SUPPLIER"?',
    });
  });

  test("sends nothing to a platform whose certificate would not be checked", async () => {
    const { code, of } = await examine(scene(), [], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(code).toBe(2);
    expect(of("tls").status).toBe("skipped");
    expect(of("token").status).toBe("skipped");
  });

  test("reports disabled certificate checks, and continues", async () => {
    const { code, of } = await examine(scene(), ["--offline"], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(code).toBe(2);
    expect(of("environment").status).toBe("failed");
    expect(of("contract").status).toBe("ok");
  });
});
