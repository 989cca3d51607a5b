import { DatabaseSync } from "@photostructure/sqlite";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openLedger, openTemporaryLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { describeLedger } from "../behaviour/ledger-behaviour.ts";
import { item, planned, PUSH, sendAll } from "../ledger-input.ts";
import { createTestFolder, temporaryFolder } from "../../temporary-folder.ts";

const { folder, remove } = createTestFolder();
afterAll(remove);
let count = 0;

describeLedger("a SQLite ledger", () => {
  count += 1;
  return openLedger({ path: join(folder, `${count}`, "ledger.db") });
});
describeLedger("a temporary SQLite ledger", () => openTemporaryLedger(folder));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("the ledger file", () => {
  test("is accessible only to its owner, like its folder and side files, under any umask", async () => {
    const path = join(temporaryFolder(), ".migrate", "ledger.db");
    const umask = process.umask(0);
    try {
      const ledger = await openLedger({ path });
      await planned(ledger, [item(1, "A")]);
      expect(modeOf(join(path, ".."))).toBe(0o700);
      expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
      await ledger.close();
    } finally {
      process.umask(umask);
    }
  });

  test("gets a stricter mode if it was accessible to others", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    await (await openLedger({ path })).close();
    chmodSync(path, 0o644);
    await (await openLedger({ path })).close();
    expect(modeOf(path)).toBe(0o600);
  });

  test("lets readers see a consistent snapshot without blocking writers", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    const ledger = await openLedger({ path });
    const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
    const reader = await openLedger({ path, create: false, readOnly: true });
    expect((await reader.summary(run)).counts).toEqual({ pending: 2 });
    await sendAll(ledger, run, "accepted");
    const asked = performance.now();
    await ledger.close();
    expect(performance.now() - asked).toBeLessThan(4_000);
    expect((await reader.summary(run)).counts).toEqual({ pending: 2 });
    await reader.close();
    const next = await openLedger({ path, create: false, readOnly: true });
    expect((await next.summary(run)).counts).toEqual({ accepted: 2 });
    await next.close();
  });

  test("keeps its content when it is opened again", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    const first = await openLedger({ path });
    await sendAll(first, await planned(first, [item(1, "A")]), "accepted");
    await first.close();
    const second = await openLedger({ path });
    expect(await second.findRun()).toMatchObject(PUSH);
    expect((await second.summary(await planned(second, [item(1, "A")]))).counts).toEqual({ skipped: 1 });
    await second.close();
  });

  test("does not contain the value that caused a problem", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    const ledger = await openLedger({ path });
    const problem = { attr: "name", severity: "error", by: "local", code: "blank", value: "CANARY-7731" } as const;
    await planned(ledger, [item(1, "A", "a", { status: "invalid", problems: [problem] })]);
    await ledger.close();
    expect(readFileSync(path).includes("CANARY-7731")).toBe(false);
  });

  test("is not created by a command that only reads", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    await expect(openLedger({ path, create: false })).rejects.toMatchObject({ code: "run_unknown" });
    expect(existsSync(path)).toBe(false);
  });
});

describe("opening a ledger", () => {
  test("refuses a symbolic link or a folder, and changes nothing", async () => {
    const here = temporaryFolder();
    writeFileSync(join(here, "target"), "");
    symlinkSync(join(here, "target"), join(here, "link.db"));
    await expect(openLedger({ path: join(here, "link.db") })).rejects.toMatchObject({ code: "config" });
    await expect(openLedger({ path: here })).rejects.toMatchObject({ code: "config" });
    expect(statSync(join(here, "target")).size).toBe(0);
  });

  test("refuses a file that is not a database, and changes nothing", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    writeFileSync(path, "garbage ".repeat(1000));
    await expect(openLedger({ path })).rejects.toMatchObject({ code: "ledger_damaged", exitCode: 6 });
    expect(readFileSync(path, "utf8")).toBe("garbage ".repeat(1000));
  });

  test("refuses a database of another program", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    const other = new DatabaseSync(path);
    other.exec("create table theirs (a)");
    other.close();
    await expect(openLedger({ path })).rejects.toMatchObject({ code: "config" });
  });

  test.each([
    [99, "written by a newer version of migrate (format 99; this version supports 1)"],
    [0, "unknown format (format 0; this version supports 1)"],
    [-1, "unknown format (format -1; this version supports 1)"],
  ])("refuses a ledger of format %s, and changes nothing", async (format, message) => {
    const path = join(temporaryFolder(), "ledger.db");
    await (await openLedger({ path })).close();
    const other = new DatabaseSync(path);
    other.exec(`pragma user_version = ${format}`);
    const before = readFileSync(path);
    // A push with another ledger would send all records again.
    const hint = expect.not.stringContaining("another ledger");
    const refusal = { code: "config", exitCode: 2, message: expect.stringContaining(message), hint };
    await expect(openLedger({ path })).rejects.toMatchObject(refusal);
    await expect(openLedger({ path, readOnly: true })).rejects.toMatchObject(refusal);
    expect(readFileSync(path).equals(before)).toBe(true);
    other.close();
  });

  test("creates a ledger whose schema is on the first page", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    await (await openLedger({ path })).close();
    const leafPage = 13;
    expect(readFileSync(path)[100]).toBe(leafPage);
  });

  test("refuses a ledger that is truncated at any page or has a torn page", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    const ledger = await openLedger({ path });
    await planned(
      ledger,
      Array.from({ length: 500 }, (_, index) => item(index + 1, `K${index}`)),
    );
    await ledger.close();
    const whole = readFileSync(path);
    for (let size = 512; size < whole.length; size += 4096) {
      writeFileSync(path, whole);
      truncateSync(path, size);
      await expect(openLedger({ path }), `cut at ${size}`).rejects.toMatchObject({ code: "ledger_damaged" });
    }
    writeFileSync(path, whole);
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(4096, 0xaa), 0, 4096, Math.floor(whole.length / 2 / 4096) * 4096);
    closeSync(file);
    await expect(openLedger({ path })).rejects.toMatchObject({ code: "ledger_damaged" });
  });

  test("fails with a storage failure if the folder of the ledger is a file", async () => {
    const path = join(temporaryFolder(), "file");
    writeFileSync(path, "");
    await expect(openLedger({ path: join(path, "ledger.db") })).rejects.toMatchObject({ code: "storage", exitCode: 6 });
  });
});

test.skipIf(process.platform === "win32")(
  "a temporary ledger leaves no file behind, no matter when the process dies",
  async () => {
    const here = temporaryFolder();
    const ledger = await openTemporaryLedger(here);
    await planned(ledger, [item(1, "A")], { run: { command: "validate" } });
    expect(readdirSync(here)).toEqual([]);
    await ledger.close();
    expect(readdirSync(here)).toEqual([]);
  },
);
