import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";

const CONFIG = `contract: [operator.yaml, ours.yaml]
mapping: maps/mapping.yaml
supplier: SPRING
target: test
suppliers:
  SPRING: { bucket: operator-files }
  LIVE_SPRING: {}
references:
  products: lists/products.csv
targets:
  test:
    baseUrl: https://api.test.example.com/v1/
    auth: { apiKeyFile: .secrets/test-key }
  live:
    baseUrl: https://api.example.com/v1/
    environment: production
    supplier: LIVE_SPRING
    rps: 40
    timeouts: { connectSeconds: 3 }
corrections: corrections.csv
`;

interface ShownSetting {
  readonly value?: unknown;
  readonly from: string;
  readonly kind: string;
}

async function shown(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<(setting: string) => ShownSetting | undefined> {
  const cwd = temporaryFolder({ "migrate.yaml": CONFIG });
  const { code, stdout, stderr } = await runCli(["config", "show", "--format", "json", ...flags], { cwd, env });
  expect([code, stderr]).toEqual([0, ""]);
  const { settings }: { readonly settings: readonly (ShownSetting & { readonly setting: string })[] } =
    JSON.parse(stdout);
  expect(new Set(settings.map(({ setting }) => setting)).size).toBe(settings.length);
  return (name) => settings.find(({ setting }) => setting === name);
}

describe("migrate config show", () => {
  test("shows the defaults, and the line of each value that the file sets", async () => {
    const setting = await shown();
    expect(setting("contract")).toMatchObject({ value: ["operator.yaml", "ours.yaml"], from: "migrate.yaml:1" });
    expect(setting("supplier")).toMatchObject({ value: "SPRING", from: "migrate.yaml:3", kind: "file" });
    expect(setting("targets.test.baseUrl")).toMatchObject({
      value: "https://api.test.example.com/v1/",
      from: "migrate.yaml:12",
    });
    expect(setting("targets.live.baseUrl")).toBeUndefined();
    expect(setting("ledger")).toEqual({
      setting: "ledger",
      value: ".migrate/ledger.db",
      from: "default",
      kind: "default",
    });
    expect(setting("references.products")).toMatchObject({ value: "lists/products.csv", from: "migrate.yaml:9" });
    expect(setting("store.location")).toMatchObject({ value: "s3://operator-files", from: "migrate.yaml:6" });
    expect(setting("encoding")).toEqual({ setting: "encoding", from: "not set", kind: "none" });
  });

  test("prefers a flag to a variable, and a variable to the file", async () => {
    const env = { MIGRATE_MAPPING: "env.yaml", MIGRATE_LEDGER: "env.db", MIGRATE_RPS: "7" };
    const setting = await shown(["--ledger", "flag.db", "--limit", "3"], env);
    expect(setting("ledger")).toMatchObject({ value: "flag.db", from: "--ledger", kind: "flag" });
    expect(setting("mapping")).toMatchObject({ value: "env.yaml", from: "MIGRATE_MAPPING", kind: "environment" });
    expect(setting("targets.test.rps")).toMatchObject({ value: 7, from: "MIGRATE_RPS" });
    expect(setting("limit")).toMatchObject({ value: 3, from: "--limit" });
  });

  test("ignores empty variables, including those of the document store", async () => {
    const env = { MIGRATE_MAPPING: "", AWS_REGION: "", AWS_ENDPOINT_URL_S3: "" };
    const setting = await shown([], env);
    expect(setting("mapping")).toMatchObject({ from: "migrate.yaml:2" });
    expect(setting("store.region")).toMatchObject({ kind: "none" });
  });

  test("shows only the corrections file of the flag if the configuration also names one", async () => {
    const setting = await shown(["--corrections", "flag.csv"]);
    expect(setting("corrections")).toMatchObject({ value: "flag.csv", from: "--corrections" });
  });

  test("shows the values for another target", async () => {
    const setting = await shown(["--target", "live"]);
    expect(setting("supplier")).toMatchObject({ value: "LIVE_SPRING", from: "migrate.yaml:17" });
    expect(setting("targets.live.environment")).toMatchObject({ value: "production", from: "migrate.yaml:16" });
    expect(setting("targets.live.timeouts.connectSeconds")).toMatchObject({ value: 3, from: "migrate.yaml:19" });
    expect(setting("targets.live.timeouts.bodySeconds")).toMatchObject({ value: 30, from: "default" });
    expect(setting("targets.live.rps")).toMatchObject({ value: 40, from: "migrate.yaml:18" });
  });

  test("shows an address from the command line instead of the target in the file", async () => {
    const setting = await shown(["--base-url", "https://user:canary@other.example.com/v1/"]);
    expect(setting("baseUrl")).toMatchObject({ value: "https://***@other.example.com/v1/", from: "--base-url" });
    expect(setting("target")).toMatchObject({ kind: "none" });
  });

  test.each([
    [["--base-url", "https://u:can/ary@h/"], "baseUrl", "https://***@h/"],
    [["--proxy", "u:canary@127.0.0.1:1"], "targets.test.proxy", "***@127.0.0.1:1"],
    [["--store", "s3://AKIA:canary@bucket"], "store.location", "s3://***@bucket"],
  ])("masks the credentials in an address: %j", async (flags, name, value) => {
    const setting = await shown(flags);
    expect(setting(name)).toMatchObject({ value });
  });

  test("masks every credential, and says where it comes from", async () => {
    const file = await shown();
    expect(file("MIGRATE_API_KEY")).toMatchObject({ value: "***", from: ".secrets/test-key", kind: "secret-file" });
    const env = {
      MIGRATE_TOKEN: "canary-7kQ2",
      AWS_SECRET_ACCESS_KEY: "canary-9xLr",
      MIGRATE_PROXY_CREDENTIALS: "u:canary-1",
    };
    const { stdout } = await runCli(["config", "show"], { cwd: temporaryFolder({ "migrate.yaml": CONFIG }), env });
    expect(stdout).not.toContain("canary");
    expect(stdout).toMatch(/^MIGRATE_TOKEN +MIGRATE_TOKEN +\*\*\*$/m);
    expect(stdout).toMatch(/^AWS_SECRET_ACCESS_KEY +AWS_SECRET_ACCESS_KEY +\*\*\*$/m);
  });

  test("lists the defaults if there is no file", async () => {
    const { code, stdout } = await runCli(["config", "show"], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^config +not set$/m);
    expect(stdout).toMatch(/^concurrency +default +auto$/m);
  });

  test("suggests the correct name of a misspelt variable on stderr", async () => {
    const { code, stderr } = await runCli(["config", "show"], { cwd: temporaryFolder(), env: { MIGRATE_LEDGR: "x" } });
    expect([code, stderr]).toEqual([
      0,
      'MIGRATE_LEDGR is set, but no command reads it; did you mean "MIGRATE_LEDGER"?\n',
    ]);
  });
});
