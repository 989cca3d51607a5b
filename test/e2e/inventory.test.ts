import { join } from "node:path";
import fc from "fast-check";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareInventory, type MissingKey } from "../../src/job/inventory/compare-inventory.ts";
import { openLedgerStore } from "../../src/ledger/open-ledger-store.ts";
import { item, planned, sendAll } from "../ledger/ledger-input.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";

const { folder, remove } = createTestFolder();
afterAll(remove);
const ledger = join(folder, "ledger.db");
beforeAll(async () => {
  const open = await (await openLedgerStore(ledger)).write("push", { create: true });
  const run = { startedAt: "2026-11-20T08:00:00.000Z" };
  const required = { attr: "name", severity: "error", by: "local", code: "required" } as const;
  const invalid = item(2, "BAD", "x", { status: "invalid", problems: [required] });
  await sendAll(open, await planned(open, [item(1, "GOOD"), invalid, item(3, "Caf\u00E9")], { run }), "accepted");
  await open.close();
});

async function migrate(inventory: string, files: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const config = join(temporaryFolder({ "migrate.yaml": `inventory: ${inventory}\n`, ...files }), "migrate.yaml");
  return runCli([...words, "--ledger", ledger, "--config", config]);
}

const KEYS = "\uFEFFGOOD\nBAD\n\n  =NEW \r\nCafe\u0301\n=NEW\nOTHER\n";

describe("an inventory with one key per line:", () => {
  test("open lists the keys that no push has included, with their lines, and exits with 3", async () => {
    const { code, stdout } = await migrate("keys.txt", { "keys.txt": KEYS }, "open", "--format", "ndjson");
    const missing = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ status }) => status === "missing");
    expect(code).toBe(3);
    expect(missing).toMatchObject([
      { key: "=NEW", causes: [{ code: "missing" }], source: { line: 4 }, since: "2026-11-20T08:00:00.000Z" },
      { key: "OTHER", source: { line: 7 }, run: "", target: "platform.example/v1/" },
    ]);
  });

  test("open shows missing keys after all other records", async () => {
    const { stdout } = await migrate("keys.txt", { "keys.txt": KEYS }, "open");
    expect(stdout).toMatch(/\nMissing on platform.example\/v1\/\nkey +status +age +place +cause\n/);
    expect(stdout).toMatch(/\n3 open records: 1 invalid, 2 missing\n$/);
    expect(stdout.split("\n").filter((line) => line.length > 80 && !line.includes("keys.txt"))).toEqual([]);
  });

  test("status shows the expected, seen and missing keys", async () => {
    const { stdout } = await migrate("keys.txt", { "keys.txt": KEYS }, "status");
    expect(stdout).toContain(
      "\nInventory of platform.example/v1/\n  expected  5\n  seen      3  60%\n  missing   2  40%\n",
    );
  });

  test("open --since omits missing keys if the first push is older", async () => {
    const words = ["open", "--since", "2026-11-21", "--by", "cause", "--format", "csv"];
    expect((await migrate("keys.txt", { "keys.txt": KEYS }, ...words)).stdout).not.toContain("missing,");
  });
});

test("an inventory can be a column of a CSV file", async () => {
  const files = { "all.csv": 'ID;ACCOUNT\n1;GOOD\n2;"NEW"\n' };
  const { stdout } = await migrate("{ file: all.csv, column: ACCOUNT }", files, "status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ inventory: [{ expected: 2, seen: 1, missing: 1 }] });
  const wrong = await migrate("{ file: all.csv, column: KEY }", files, "status");
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/no column "KEY"[^]*columns: ID, ACCOUNT/) });
});

test.each([
  ["10", { expected: 10, seen: 3, missing: 7 }],
  ["2", { expected: 2, seen: 2, missing: 0 }],
])("an inventory can be a number: %s", async (inventory, counts) => {
  const { stdout } = await migrate(inventory, {}, "status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ inventory: [counts] });
});

test.each([["0"], ["[a]"], ["{ file: a.csv }"], ["1.5"]])(
  "migrate.yaml with `inventory: %s` is refused with line and column",
  async (inventory) => {
    const { code, stderr } = await migrate(inventory, {}, "status");
    expect(code).toBe(2);
    expect(stderr).toMatch(/migrate\.yaml:1:\d+: inventory.*: expected /);
  },
);

test("a missing inventory file is reported with its path", async () => {
  const { code, stderr } = await migrate("absent.txt", {}, "open");
  expect([code, stderr]).toEqual([2, expect.stringContaining("absent.txt")]);
});

test("the missing keys of any inventory are the keys that no push has included, each listed once", async () => {
  const file = join(folder, "any.txt");
  const key = fc.constantFrom("GOOD", "BAD", "Caf\u00E9", "Cafe\u0301", "a", "b", "\u{1F600}", "c d", "\u{FF21}");
  const reading = await (await openLedgerStore(ledger)).read();
  const compared = { ledger: reading, migration: await reading.migration() };
  await fc.assert(
    fc.asyncProperty(fc.array(key), async (keys) => {
      await writeFile(file, keys.join("\n"));
      const missing: MissingKey[] = [];
      const [state] = await compareInventory({ inventory: file, temporaryFolder: folder }, compared, (found) => {
        missing.push(...found);
      });
      const all = new Set(keys.map((each) => each.normalize("NFC")));
      const expected = [...all].filter((each) => !["GOOD", "BAD", "Caf\u00E9"].includes(each));
      expect(missing.map((each) => each.key).toSorted()).toEqual(expected.toSorted());
      for (const each of missing) expect(keys[each.line - 1]?.normalize("NFC")).toBe(each.key);
      expect(state).toMatchObject({ expected: all.size, missing: expected.length, seen: all.size - expected.length });
    }),
  );
  await reading.close();
});
