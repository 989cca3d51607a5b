import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { checkReportFolder, writeReportFiles } from "../../src/report/report-files.ts";
import { reporters } from "../../src/report/formats/reporters.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { batched, csvRow, csvTable, missing, outcomeOf, recordsOf } from "./inputs.ts";
import { rendered, reportOf } from "./reports.ts";

const table = csvTable("accounts.csv", ["REF"]);
const records = recordsOf([csvRow(table, 2, ["1"]), csvRow(table, 3, ["2"])]);
const outcomes = records.map((record, at) => outcomeOf(record, at === 0 ? [] : [missing("name", record.row)]));
const report = reportOf(outcomes);

let home: string;
let folder: string;
const options = (): Parameters<typeof writeReportFiles>[1] => ({
  folder,
  sources: ["accounts"],
  records: () => batched(records),
});

beforeEach(() => {
  home = temporaryFolder();
  folder = path.join(home, "new", "out");
});

describe("writeReportFiles", () => {
  it("writes the output of the reporters and the summary", async () => {
    const files = await writeReportFiles(report, options());
    expect((await readdir(folder)).toSorted()).toEqual([
      "errors.csv",
      "outcomes.ndjson",
      "rejects.csv",
      "report.html",
      "summary.json",
    ]);
    expect(await readFile(files.outcomes, "utf8")).toBe(await rendered(reporters.ndjson, report));
    expect(await readFile(files.errors, "utf8")).toBe(await rendered(reporters.csv, report));
    expect(await readFile(files.summary, "utf8")).toBe(
      '{"records":2,"valid":1,"invalid":1,"accepted":0,"rejected":0,"ambiguous":0,"blocked":0,"pending":0,"skipped":0,' +
        '"duplicate":0,"existing":0,"stale":0,"excluded":0,"errors":{"required":1},"exitCode":1}\n',
    );
    expect(files.rejects).toEqual({
      files: [{ path: path.join(folder, "rejects.csv"), rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      leftOut: 0,
    });
  });

  it("writes several reports to the same folder at the same time", async () => {
    const written = await Promise.all([1, 2, 3, 4].map(() => writeReportFiles(report, options())));
    expect(new Set(written.map(({ summary }) => summary)).size).toBe(1);
    expect((await readdir(folder)).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await readFile(path.join(folder, "outcomes.ndjson"), "utf8")).toBe(await rendered(reporters.ndjson, report));
  });

  it("links from the page to files in the same folder", async () => {
    const { page } = await writeReportFiles(report, { ...options(), workbook: { choices: new Map() } });
    const links = [...(await readFile(page, "utf8")).matchAll(/href="([^#"]+)"/g)].map(([, name = ""]) => name);
    expect(links).toEqual(["rejects.xlsx", "rejects.csv"]);
    for (const name of links) expect(existsSync(path.join(folder, name))).toBe(true);
  });

  it("creates files that only their owner can read, under any umask", async () => {
    const umask = process.umask(0);
    try {
      await writeReportFiles(report, options());
    } finally {
      process.umask(umask);
    }
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(path.join(home, "new"))).toBe(0o700);
    for (const name of await readdir(folder)) expect(await modeOf(path.join(folder, name))).toBe(0o600);
  });

  it("replaces an older file that others could read", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "errors.csv"), "old");
    await chmod(path.join(folder, "errors.csv"), 0o644);
    await writeReportFiles(report, options());
    expect(await modeOf(path.join(folder, "errors.csv"))).toBe(0o600);
    expect(await readFile(path.join(folder, "errors.csv"), "utf8")).toMatch(/^record,/);
  });

  it("replaces a link instead of following it", async () => {
    await mkdir(folder, { recursive: true });
    const victim = path.join(home, "victim");
    await writeFile(victim, "precious");
    for (const name of ["outcomes.ndjson", "errors.csv", "report.html", "rejects.csv", "summary.json"]) {
      await symlink(victim, path.join(folder, name));
      for (let number = 1; number <= 50; number += 1)
        await symlink(victim, path.join(folder, `.${name}.${number}.${process.pid}.tmp`));
    }
    await writeReportFiles(report, options());
    expect(await readFile(victim, "utf8")).toBe("precious");
    expect((await stat(path.join(folder, "rejects.csv"))).isFile()).toBe(true);
    expect((await readdir(folder)).filter((name) => !name.startsWith("."))).toHaveLength(5);
  });

  it("keeps the older report, and leaves no partial files, when the report fails", async () => {
    await writeReportFiles(report, options());
    const before = await readFile(path.join(folder, "summary.json"), "utf8");
    const broken = { ...report, summary: { ...report.summary, records: 3 } };
    await expect(writeReportFiles(broken, options())).rejects.toThrow("does not add up");
    expect(await readFile(path.join(folder, "summary.json"), "utf8")).toBe(before);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("removes only the temporary files of a dead process", async () => {
    await mkdir(folder, { recursive: true });
    const stale = [".errors.csv.1.999999999.tmp", `.errors.csv.9999.${process.pid}.tmp`];
    const kept = [`.errors.csv.1.${process.ppid}.tmp`, ".notes.1.1.tmp", "rejects.mine.csv"];
    for (const name of [...stale, ...kept]) await writeFile(path.join(folder, name), "");
    await writeReportFiles(report, options());
    const left = await readdir(folder);
    expect([...stale, ...kept].filter((name) => left.includes(name))).toEqual(kept);
  });

  it.each([
    "rejects.scratch-1",
    "migration.json",
    "migration.html",
    "proof.json",
    "rows-k7m2.csv",
    "corrections-k7m2.csv",
    "platform-k7m2.ndjson",
  ])("removes the temporary file of a dead process for %s", async (name) => {
    await mkdir(folder, { recursive: true });
    const draft = path.join(folder, `.${name}.1.999999999.tmp`);
    await writeFile(draft, "");
    await writeReportFiles(report, options());
    expect(existsSync(draft)).toBe(false);
  });

  it("fails with a storage failure and a hint if the folder cannot be written", async () => {
    await writeFile(path.join(home, "new"), "a file, not a folder");
    await expect(writeReportFiles(report, options())).rejects.toMatchObject({
      code: "storage",
      exitCode: 6,
      hint: expect.stringContaining("migrate report"),
    });
  });

  it("fails with a storage failure if a folder has the name of a report file", async () => {
    await mkdir(path.join(folder, "errors.csv", "sub"), { recursive: true });
    await expect(writeReportFiles(report, options())).rejects.toMatchObject({ code: "storage" });
  });

  it("writes no rejects if the input can no longer be read, and keeps the older rejects", async () => {
    await writeReportFiles(report, options());
    const { rejects } = await writeReportFiles(report, { folder, sources: ["accounts"] });
    expect(rejects.files).toEqual([]);
    expect(await readdir(folder)).toContain("rejects.csv");
  });
});

describe("checkReportFolder", () => {
  it("creates the folder and leaves it empty", async () => {
    await checkReportFolder(folder, ["accounts.csv"]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("refuses a folder whose rejects are the input", async () => {
    await writeReportFiles(report, options());
    const link = path.join(home, "link");
    await symlink(folder, link);
    for (const input of [path.join(folder, "rejects.csv"), path.join(link, "rejects.csv")]) {
      await expect(checkReportFolder(folder, [input])).rejects.toMatchObject({ code: "usage" });
    }
    await checkReportFolder(path.join(home, "other"), [path.join(folder, "rejects.csv")]);
    await checkReportFolder(folder, [path.join(folder, "accounts.csv")]);
  });

  it("reports a file with the name of the folder", async () => {
    const file = path.join(home, "file");
    await writeFile(file, "");
    for (const out of [file, path.join(file, "below")]) {
      await expect(checkReportFolder(out, [])).rejects.toMatchObject({
        code: "storage",
        message: expect.stringContaining("there is a file where a folder is expected"),
        hint: expect.stringContaining("another folder with --out"),
      });
    }
  });

  it("fails with a storage failure if the folder cannot be created", async () => {
    await writeFile(path.join(home, "new"), "");
    await expect(checkReportFolder(folder, [])).rejects.toMatchObject({ code: "storage" });
  });

  it.runIf(existsSync("/proc/self"))("does not retry forever if no folder can be created", async () => {
    await expect(checkReportFolder("/proc/none/report", [])).rejects.toMatchObject({ code: "storage" });
  });
});

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}
