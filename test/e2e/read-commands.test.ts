import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { reply, startChaosServer } from "../chaos-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, type CliOptions, runCli, type TestSandbox, startCli, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, goodAccounts, workplace } from "./push-scene.ts";

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());

const HAS_SCRIPT = spawnSync("script", ["--version"]).status === 0;

function read(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  return runCli(args, { ...options, env: { ...sandbox.env, ...options.env } });
}

function rates(...flags: readonly string[]): Promise<CliEnd> {
  const { product, tariff } = sandbox.ready.tariff;
  return read(["rates", product, tariff, ...flags]);
}

function lines(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
}

describe("migrate products", () => {
  test("shows the first page, and a notice that there are more pages", async () => {
    const { code, stdout, stderr } = await read(["products"], { env: { MIGRATE_API_KEY: undefined } });
    expect([code, lines(stdout).length, stderr]).toEqual([0, 100, "The first 100 of 130; --all reads all pages\n"]);
  });

  test("--all reads every page, and --page reads one page", async () => {
    const all = lines((await read(["products", "--all"])).stdout).map(({ code }) => code);
    expect(all).toEqual(sandbox.ready.products);
    const second = lines((await read(["products", "--page", "2"])).stdout).map(({ code }) => code);
    expect(second).toEqual(all.slice(100));
    expect(await read(["products", "--page", "3"])).toMatchObject({ code: 2, stdout: "" });
    expect((await read(["products", "--page", "1", "--all"])).code).toBe(2);
  });

  test("passes its filters to the platform", async () => {
    const { stdout, stderr } = await read([
      "products",
      "--green",
      "--variable",
      "false",
      "--brand",
      "EXAMPLE_ENERGY",
      "--available-at",
      "2024-05-01",
    ]);
    expect(lines(stdout).map(({ code }) => code)).toEqual(["GREEN-12M-24-04-01"]);
    expect(stderr).toBe("--available-at 2024-05-01 is read as London time: 2024-04-30T23:00:00Z\n");
    const none = await read(["products", "--prepay", "--business"]);
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: "The platform has no matching entries\n" });
  });

  test.each(["json", "csv"])("writes one document as %s", async (format) => {
    const { stdout } = await read(["products", "--all", "--format", format]);
    const records: readonly { readonly code: string }[] =
      format === "json" ? JSON.parse(stdout) : parse(stdout, { columns: true });
    expect(records.map(({ code }) => code)).toEqual(sandbox.ready.products);
  });

  test.skipIf(!HAS_SCRIPT)("shows a table of 80 columns on a terminal", async () => {
    const { stdout } = await read(["products", "--business"], {
      env: { TERM: "dumb", SHELL: "/bin/sh" },
      under: ["sh", "-c", 'script -qec "$*" /dev/null', "sh"],
    });
    const shown = stdout.split("\r\n");
    expect(shown.slice(0, 2)).toEqual([expect.stringMatching(/^code +name +from +until$/), "    properties"]);
    expect(shown[2]).toMatch(/^BUSINESS-22-01-01 +Business.* 2022-01-01 +2022-04-01$/);
    expect(shown[3]).toMatch(/^ {4}36 months,/);
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe("migrate rates", () => {
  test.each([
    ["2025-03-30", "2025-03-31", 46, "2025-03-30T00:00:00Z"],
    ["2025-10-26", "2025-10-27", 50, "2025-10-25T23:00:00Z"],
    ["2025-07-01T00:00Z", "2025-07-03T12:00+01:00", 118, "2025-07-01T00:00:00Z"],
  ])("shows every half hour from %s to %s, even if the clocks change: %i rates", async (from, to, count, first) => {
    const { code, stdout } = await rates("--from", from, "--to", to, "--chronological");
    const found = lines(stdout).map(({ valid_from }) => String(valid_from));
    expect([code, found.length, found[0]]).toEqual([0, count, first]);
    expect(found).toEqual(found.toSorted());
    const latestFirst = lines((await rates("--from", from, "--to", to)).stdout).map(({ valid_from }) => valid_from);
    expect(latestFirst).toEqual(found.toReversed());
  });

  test("reads a timestamp without a zone as London time, and reports the time in UTC", async () => {
    await admin.reset();
    const { stderr } = await rates("--from", "2025-07-01T09:30", "--to", "2025-07-01T12:30");
    expect(stderr).toContain("--from 2025-07-01T09:30 is read as London time: 2025-07-01T08:30:00Z\n");
    const { stdout } = await rates("--from", "2025-07-01T08:30Z", "--to", "2025-07-01T11:30Z", "--quiet");
    expect(lines(stdout)).toHaveLength(6);
  });

  test.each(["2025-03-30T01:30", "2025-10-26T01:30"])(
    "refuses %s, which London's clocks show twice or never",
    async (from) => {
      const { code, stdout, stderr } = await rates("--from", from);
      expect([code, stdout]).toEqual([2, ""]);
      const day = from.slice(0, 10);
      expect(stderr).toContain(`--from ${day}T00:30:00Z`);
      expect(stderr).toContain(`--from ${day}T01:30:00Z`);
    },
  );

  test("keeps every digit of a negative rate, in every format", async () => {
    const period = ["--from", "2025-01-07T00:00Z", "--to", "2025-01-07T06:00Z"];
    const exact = lines((await rates(...period)).stdout).map(({ value_exc_vat }) => String(value_exc_vat));
    expect(exact.some((value) => /^-\d+\.\d{3,4}$/.test(value))).toBe(true);
    const [, ...csv] = parse((await rates(...period, "--format", "csv")).stdout);
    expect(csv.map(([value]) => value)).toEqual(exact);
    const table = (await rates(...period, "--format", "text")).stdout;
    for (const value of exact) expect(table).toContain(` ${value} `);
  });

  test.each([
    ["standing", "electricity", "E-1R-VAR-24-01-01-C"],
    ["day", "electricity", "E-2R-VAR-24-01-01-C"],
    ["night", "electricity", "E-2R-VAR-24-01-01-C"],
    ["standard", "gas", "G-1R-VAR-24-01-01-C"],
    ["standing", "gas", "G-1R-VAR-24-01-01-C"],
  ])("shows rates of kind %s for %s", async (kind, fuel, tariff) => {
    const { code, stdout } = await read(["rates", "VAR-24-01-01", tariff, "--kind", kind, "--fuel", fuel]);
    expect(code).toBe(0);
    expect(lines(stdout)[0]).toMatchObject({ valid_to: null });
  });

  test("requests no further pages once the reader of stdout has exited", async () => {
    await admin.reset();
    const { product, tariff } = sandbox.ready.tariff;
    const running = startCli(["rates", product, tariff, "--all"], { env: sandbox.env });
    await running.waitForOutput(/valid_from/);
    running.process.stdout?.destroy();
    expect((await running.ended).code).toBe(0);
    expect((await admin.history()).length).toBeLessThan(100);
  });

  test("refuses a period that ends before it starts", async () => {
    const { code, stdout, stderr } = await rates("--from", "2025-03-31", "--to", "2025-03-30");
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("--from is after --to")]);
  });

  test("reports a tariff that does not exist", async () => {
    const { code, stderr } = await read(["rates", "VAR-24-01-01", "../../accounts"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("the platform has no standard-unit-rates for")]);
    expect((await rates("--to", "2025-01-01")).stderr).toContain("period_from");
  });

  test.each([
    ["2025-01-07", 48, "lowest -"],
    ["2025-03-30", 46, "the clocks go forward"],
    ["2025-10-26", 50, "the clocks go back"],
  ])("--plot draws %s", async (day, halfHours, words) => {
    const { code, stdout } = await rates("--from", day, "--plot");
    expect(code).toBe(0);
    expect(stdout).toContain(`┼${"─".repeat(halfHours)}\n`);
    expect(stdout).toContain(words);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("--plot names the rates that the chart does not show, and refuses a rate with an invalid time", async () => {
    const rate = { value_exc_vat: 10, value_inc_vat: 10, valid_from: "2025-01-01T00:00:00Z", valid_to: null };
    const results = [
      { ...rate, payment_method: "DIRECT_DEBIT" },
      { ...rate, value_inc_vat: 50, payment_method: "NON_DIRECT_DEBIT" },
    ];
    const server = await startChaosServer(() => reply(200, { count: results.length, next: null, results }));
    onTestFinished(server.close);
    const ca = join(temporaryFolder({ "ca.pem": server.ca }), "ca.pem");
    const words = ["rates", "P", "T", "--from", "2025-06-01", "--plot", "--base-url", server.baseUrl.href, "--ca", ca];
    const { code, stderr } = await read(words);
    expect(code).toBe(0);
    expect(stderr).toContain("several are valid from 00:00: 50 (NON_DIRECT_DEBIT), 10 (DIRECT_DEBIT)");
    results.push({ ...rate, valid_from: "soon", payment_method: "DIRECT_DEBIT" });
    expect(await read(words)).toMatchObject({ code: 4, stderr: expect.stringContaining("contains an invalid time") });
  });

  test("--plot draws today, and is refused together with --format", async () => {
    expect((await rates("--plot")).stdout).toContain("highest");
    expect((await rates("--plot", "--format", "csv")).code).toBe(2);
  });
});

describe("migrate account", () => {
  test.each([[[]], [["--auth", "basic"]], [["--auth", "JWT"]]])("reads an account with the flags %j", async (flags) => {
    const { code, stdout, stderr } = await read(["account", sandbox.ready.account, ...flags]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ number: sandbox.ready.account, properties: [{ postcode: "SW1A 1AA" }] });
  });

  test("shows a migrated account, in every format", async () => {
    const place = workplace({ accounts: goodAccounts(1) }, sandbox);
    expect((await place.push()).code).toBe(0);
    const [account] = await admin.accounts();
    const number = account?.number ?? "";
    const { stdout } = await read(["account", number, "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ number, external_account_number: "EXT-00001" });
    expect((await read(["account", number, "--format", "text"])).stdout).toContain(
      "external_account_number: EXT-00001\n",
    );
    expect((await read(["account", number, "--format", "csv"])).stdout).toContain("customers.0.given_name,Amina\n");
  });

  test.each(["A-00000000", "../products", "A-5A3D1C0B?x=1", ".."])(
    "reports that %s does not exist, without printing the number",
    async (number) => {
      const { code, stdout, stderr } = await read(["account", number, "--verbose"]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).not.toContain(`${number} `);
      expect(stderr).not.toContain("A-5A3D");
    },
  );

  test("refuses to read without valid credentials", async () => {
    await admin.reset();
    const wrong = await read(["account", sandbox.ready.account], { env: { MIGRATE_API_KEY: "sk_wrong" } });
    expect([wrong.code, wrong.stdout]).toEqual([4, ""]);
    expect(wrong.stderr).not.toContain("sk_wrong");
    expect(await admin.tokenRequests()).toHaveLength(1);
    expect((await read(["account", sandbox.ready.account], { env: { MIGRATE_API_KEY: undefined } })).code).toBe(2);
  });
});

describe("a platform", () => {
  test.each(["products", "rates P T", "account A"])("must be named for `%s`", async (command) => {
    const { code, stderr } = await runCli(command.split(" "));
    expect([code, stderr]).toEqual([2, expect.stringContaining("the platform to read from is not set")]);
  });

  test("with an untrusted certificate is refused", async () => {
    expect(await read(["products"], { env: { MIGRATE_CA: undefined } })).toMatchObject({ code: 4, stdout: "" });
  });
});
