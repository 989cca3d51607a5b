import { chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CONTRACT, outcomeLines, statusCounts, workplace, writeExtract } from "./push-scene.ts";

import { correct, readRejects, runs, save, useRejects } from "./rejects-scene.ts";

const { sandbox, admin } = useRejects();

describe("pushing the original extract again", () => {
  test("does not mark records as invalid if their corrected rows were accepted", async () => {
    const accounts = [{ REF: "GOOD" }, { REF: "HERE", TYPE: "?" }, { REF: "THERE" }, { REF: "STILL", TYPE: "?" }];
    const customers = accounts.map(({ REF }) => ({ REF, ...(REF === "THERE" && { MOBILE: "04000 000000" }) }));
    const work = workplace({ accounts, customers }, sandbox);
    const first = await work.push(["--out", "report"]);
    expect(statusCounts(outcomeLines(first.stdout))).toEqual({ accepted: 1, invalid: 2, rejected: 1 });
    save(
      work,
      "rejects.csv",
      readRejects(work, "rejects.csv").map((row) => (row["REF"] === "HERE" ? { ...row, TYPE: "D" } : row)),
    );
    save(
      work,
      "rejects.customers.csv",
      readRejects(work, "rejects.customers.csv").map((row) =>
        row["REF"] === "THERE" ? { ...row, MOBILE: "07700 900730" } : row,
      ),
    );
    const second = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(statusCounts(outcomeLines(second.stdout))).toEqual({ accepted: 2, invalid: 1 });

    const again = await work.push();
    const lines = outcomeLines(again.stdout);
    expect(lines.map(({ key, status, errors = [] }) => [key, status, ...errors.map(({ code }) => code)])).toEqual([
      ["GOOD", "skipped"],
      ["HERE", "skipped", "corrected_since"],
      ["THERE", "skipped", "corrected_since"],
      ["STILL", "invalid", "invalid_choice"],
    ]);
    expect(lines[1]?.account).toMatch(/^A-/);
    expect((await admin.imports()).length).toBe(4);
    const explained = await work.migrate(["explain", "HERE"]);
    expect(explained.stdout).toMatch(/^skipped, account A-/m);
    expect(explained.stdout).toMatch(
      /A corrected version has been on the platform since \S+\. This row is the version that was invalid or rejected earlier/,
    );
    const firstRun = (await runs(work)).at(-1) ?? "";
    const then = await work.migrate(["explain", "HERE", "--run", firstRun]);
    expect(then.stdout).toMatch(/^On the platform since .* as account A-.*, with different content: accepted in run /m);
  });

  test("leaves a record out of date if an extract changed its row before older rejects were re-imported (it used to count as corrected)", async () => {
    const work = workplace(
      {
        accounts: [
          { REF: "A", TYPE: "?" },
          { REF: "B", TYPE: "?" },
        ],
      },
      sandbox,
    );
    await work.push(["--out", "report"]);
    const newer = [
      { REF: "A", TYPE: "?", NAME: "Another" },
      { REF: "B", TYPE: "?" },
    ];
    writeExtract(work.folder, { accounts: newer });
    await work.push();
    const [changing] = await runs(work);
    correct(work);
    const returned = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    const [first, second] = outcomeLines(returned.stdout);
    expect([first?.status, second?.status, second?.errors]).toEqual(["accepted", "accepted", undefined]);
    expect(first?.errors).toMatchObject([
      { code: "changed_since_export", severity: "warning", detail: expect.stringContaining(`Push ${changing}`) },
    ]);
    const drift = await work.migrate(["report", "--drift"]);
    expect([drift.code, drift.stdout]).toEqual([0, expect.not.stringContaining("changed_since_export")]);
    const open = async (): Promise<string> => (await work.migrate(["open", "--format", "csv"])).stdout;
    expect(await open()).toMatch(/^A,outdated,invalid_choice/m);
    const { stdout } = await work.push();
    expect(outcomeLines(stdout).map(({ status, errors = [] }) => [status, ...errors.map(({ code }) => code)])).toEqual([
      ["invalid", "invalid_choice"],
      ["skipped", "corrected_since"],
    ]);
    expect(await open()).toMatch(/^A,outdated,/m);
    expect(await open()).not.toMatch(/^B,/m);
  });

  test("validates a row again if the row has changed since its correction was accepted", async () => {
    const work = workplace({ accounts: [{ REF: "A", TYPE: "?" }] }, sandbox);
    await work.push(["--out", "report"]);
    correct(work);
    expect((await work.migrate(["push", "--rejects", "report"])).code).toBe(0);
    writeExtract(work.folder, { accounts: [{ REF: "A", TYPE: "?", NAME: "Another" }] });
    for (let times = 0; times < 2; times += 1) {
      const { stdout } = await work.push();
      expect(statusCounts(outcomeLines(stdout))).toEqual({ invalid: 1 });
    }
    writeExtract(work.folder, { accounts: [{ REF: "A", NAME: "Another" }] });
    const valid = outcomeLines((await work.push()).stdout);
    expect(valid.map(({ status, errors = [] }) => [status, ...errors.map(({ code }) => code)])).toEqual([
      ["invalid", "unique"],
    ]);
  });
});

test("a re-import does not mention a corrections file that has changed, because it does not read the file", async () => {
  const work = workplace({ accounts: [{ REF: "A" }, { REF: "B", TYPE: "?" }] }, sandbox);
  const given = ["--corrections", "fixes.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml"];
  expect((await work.migrate(["corrections", "add", "A", "NAME", "Ada Example", ...given])).code).toBe(0);
  expect((await work.push(["--out", "report", "--corrections", "fixes.csv"])).code).toBe(1);
  correct(work);
  expect((await work.migrate(["corrections", "add", "--rejects", "report", ...given])).code).toBe(0);
  const { code, stderr } = await work.migrate(["push", "--rejects", "report"]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("has changed")]);
});

describe("re-import refuses", () => {
  test.each([
    ["a folder without rejects", ["--rejects", "nowhere"], /nowhere: contains no rejects to re-import/],
    [
      "sources together with --rejects",
      ["accounts.csv", "--rejects", "report"],
      /--rejects already selects the sources/,
    ],
    ["--restore-keys without --rejects", ["accounts.csv", "--restore-keys"], /--restore-keys needs --rejects/],
    ["--accept-changes without --rejects", ["accounts.csv", "--accept-changes"], /--accept-changes needs --rejects/],
  ])("%s", async (_, words, message) => {
    const work = workplace({ accounts: [{ REF: "A", TYPE: "?" }] }, sandbox);
    await work.push(["--out", "report"]);
    for (const command of ["push", "validate"]) {
      const { code, stderr } = await work.migrate([command, ...words]);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
    }
  });

  test("settings writable by other users, corrupt or missing fingerprints, and a missing file", async () => {
    const work = workplace({ accounts: [{ REF: "A", TYPE: "?" }] }, sandbox);
    await work.push(["--out", "report"]);
    chmodSync(work.file("report/rejects.json"), 0o620);
    const foreign = await work.migrate(["push", "--rejects", "report"]);
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringContaining("another user may have changed this file"),
    ]);
    chmodSync(work.file("report/rejects.json"), 0o600);
    const fingerprints = readFileSync(work.file("report/rejects.fingerprints"));
    writeFileSync(work.file("report/rejects.fingerprints"), fingerprints.subarray(0, -20));
    const corrupt = await work.migrate(["push", "--rejects", "report"]);
    expect([corrupt.code, corrupt.stderr]).toEqual([2, expect.stringContaining("this file is not part of a report")]);
    rmSync(work.file("report/rejects.fingerprints"));
    const missing = await work.migrate(["push", "--rejects", "report"]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("rejects.fingerprints: no such file")]);
    mkdirSync(work.file("report/rejects.fingerprints"));
    const folder = await work.migrate(["push", "--rejects", "report"]);
    expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining("rejects.fingerprints: is a folder")]);
    rmdirSync(work.file("report/rejects.fingerprints"));
    writeFileSync(work.file("report/rejects.fingerprints"), fingerprints);
    rmSync(path.join(work.folder, "report/rejects.customers.csv"));
    const gone = await work.migrate(["push", "--rejects", "report"]);
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining("rejects.customers.csv")]);
  });
});
