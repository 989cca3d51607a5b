import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CONTRACT, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

import { addCorrections, correct, KEYS, readRejects, save, saveWithSpreadsheet, useRejects } from "./rejects-scene.ts";

const { sandbox, admin, fourAccounts, keysOnPlatform } = useRejects();

describe("rejects changed by a spreadsheet", () => {
  test("create no account twice and lose no account", async () => {
    const work = fourAccounts();
    const first = await work.push(["--out", "report"]);
    expect(first.stderr).toContain("Next    migrate push --rejects report\n");
    correct(work);
    saveWithSpreadsheet(work);

    const refused = await work.migrate(["push", "--rejects", "report"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("report: 4 rows exported, 4 returned, 2 cells corrected in 2 rows");
    expect(refused.stderr).toContain(
      "2 keys changed: source accounts, column REF, 9{8} -> 9, a spreadsheet drops leading zeros (first: report/rejects.csv:2)",
    );
    expect(refused.stderr).toContain(
      "2 cells without errors changed: source customers, column SEQ, 99 -> 9, a spreadsheet drops leading zeros",
    );
    expect(refused.stderr).toContain("rejects.csv: no longer UTF-8, so it is read as windows-1252");
    expect(refused.stderr).not.toContain("00000003");

    const still = await work.migrate(["push", "--rejects", "report", "--restore-keys"]);
    expect(still.code).toBe(2);
    expect(still.stderr).toContain("2 keys restored: source accounts, column REF");
    expect(await keysOnPlatform()).toEqual(KEYS.slice(0, 2));

    const flags = ["--rejects", "report", "--restore-keys", "--accept-changes", "--format", "ndjson"];
    const accepted = await work.migrate(["push", ...flags]);
    expect(statusCounts(outcomeLines(accepted.stdout))).toEqual({ accepted: 2 });
    expect(outcomeLines(accepted.stdout).map(({ key }) => key)).toEqual(KEYS.slice(2));
    expect(await keysOnPlatform()).toEqual(KEYS);

    const again = await work.migrate(["push", ...flags]);
    expect(statusCounts(outcomeLines(again.stdout))).toEqual({ skipped: 2 });
  });

  test("with keys that lost leading zeros are refused unless --new-keys is also given", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    correct(work);
    saveWithSpreadsheet(work);
    const accept = ["push", "--rejects", "report", "--accept-changes"];
    const refused = await work.migrate(accept);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("--new-keys");
    expect(await keysOnPlatform()).toEqual(KEYS.slice(0, 2));
    expect((await work.migrate([...accept, "--new-keys"])).code).toBe(0);
    expect(await keysOnPlatform()).toEqual([...KEYS.slice(0, 2), "3", "4"]);
  });

  test.each([
    ["file order is refused, because the first customer would become the second one", "", 2, []],
    ["the order of a column is accepted", ", orderBy: SEQ", 0, ["EXT-1"]],
  ])("with the customers of an account in another order: %s", async (_, orderBy, code, created) => {
    const customers = ["1", "2"].map((SEQ) => ({ REF: "EXT-1", SEQ, FIRST: `Customer ${SEQ}` }));
    const work = workplace({ accounts: [{ REF: "EXT-1", TYPE: "?" }], customers }, sandbox);
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
    writeFileSync(work.file("mapping.yaml"), mapping.replace(", orderBy: SEQ", orderBy));
    await work.push(["--out", "report"]);
    correct(work);
    save(work, "rejects.customers.csv", readRejects(work, "rejects.customers.csv").toReversed());
    const pushed = await work.migrate(["push", "--rejects", "report"]);
    expect(pushed.code).toBe(code);
    expect(pushed.stderr).toContain("1 row reordered: source customers (first: report/rejects.customers.csv:3)");
    expect(pushed.stderr.includes("1 row in a different order within its record")).toBe(code === 2);
    expect(pushed.stderr.includes("not corrections: 1 reordered row; nothing was sent")).toBe(code === 2);
    expect(await keysOnPlatform()).toEqual(created);
    const setup = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--supplier", "SANDBOX"];
    expect((await addCorrections(work, ...setup)).stdout).toContain("1 correction added");
    expect((await work.migrate(["push", "--rejects", "report", "--accept-changes"])).code).toBe(0);
    expect(await keysOnPlatform()).toEqual(["EXT-1"]);
  });

  test("show their values with --show-values", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    saveWithSpreadsheet(work);
    const { stderr } = await work.migrate(["push", "--rejects", "report", "--show-values"]);
    expect(stderr).toContain('column SEQ, "01" -> "1"');
  });

  test.each([
    ["--ledger", ["--ledger", "own.db"], {}],
    ["MIGRATE_LEDGER", [], { MIGRATE_LEDGER: "own.db" }],
  ])("are validated with the mapping that the push stored in the ledger of %s", async (_, flags, env) => {
    const work = fourAccounts();
    await work.push(["--out", "report", "--ledger", "own.db"]);
    correct(work);
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
    writeFileSync(work.file("mapping.yaml"), mapping.replace("{ D: DOMESTIC", "{ X: DOMESTIC"));
    const checked = await work.migrate(["validate", "--rejects", "report", ...flags], { env });
    expect(checked.stderr).toContain("mapping.yaml has changed. Using the version stored with the run");
    expect(checked.code).toBe(0);
  });

  test("keep their restored keys when a stopped push is resumed", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    correct(work);
    saveWithSpreadsheet(work);
    await admin.supplier("Paused");
    const stopped = await work.migrate(["push", "--rejects", "report", "--restore-keys", "--accept-changes"]);
    expect(stopped.code).toBe(4);
    await admin.supplier("Ongoing");
    expect((await work.migrate(["resume"])).code).toBe(0);
    expect(await keysOnPlatform()).toEqual(KEYS);
  });
});
