import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { CliEnd } from "./cli.ts";
import { CONTRACT, latestRun, outcomeLines, useSandbox, type Workplace, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

/** Writes an extract whose rows state their date, and a mapping that reads this date. */
function writeDated(work: Workplace, rows: readonly string[]): void {
  const table = ["REF,TYPE,NAME,ADDRESS,POSTCODE,MPAN,CHANGED", ...rows].join("\n");
  writeFileSync(work.file("accounts.csv"), `${table}\n`);
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  if (mapping.includes("asOf")) return;
  const asOf = "key: REF, asOf: { column: CHANGED, date: dd/MM/yyyy }";
  writeFileSync(work.file("mapping.yaml"), mapping.replace("key: REF", asOf));
}

const row = (name: string, changed: string, ref = "EXT-1"): string =>
  `${ref},D,${name},63 Station Road,DE1 2GU,1210000007919,${changed}`;

function dated(rows: readonly string[], keys: readonly string[] = ["EXT-1"]): Workplace {
  const work = workplace({ accounts: keys.map((REF) => ({ REF })) }, sandbox);
  writeDated(work, rows);
  return work;
}

const DATE_CELL = { column: "CHANGED", columnNumber: 7 };

const requests = async (): Promise<number> => (await admin.imports()).filter(({ method }) => method === "POST").length;
const statuses = ({ stdout }: CliEnd): readonly string[] => outcomeLines(stdout).map(({ status }) => status);

test("the records of an older extract are stale, even with --revise, and are sent only with --allow-older", async () => {
  const work = dated([row("New", "20/11/2026")]);
  expect((await work.push()).code).toBe(0);
  writeDated(work, [row("Old", "19/11/2026")]);
  for (const flags of [[], ["--revise"]]) {
    const end = await work.push(flags);
    expect([end.code, await requests()]).toEqual([1, 1]);
    expect(outcomeLines(end.stdout)).toMatchObject([
      { status: "stale", errors: [{ code: "stale", source: { ...DATE_CELL, file: "accounts.csv", line: 2 } }] },
    ]);
  }
  expect((await work.migrate(["open"])).stdout).toBe("No records are open\n");
  const sent = await work.push(["--revise", "--allow-older"]);
  expect([statuses(sent), await requests()]).toEqual([["rejected"], 2]);
});

test("an invalid record of an older extract is stale, and the record does not become open again", async () => {
  const work = dated([row("New", "20/11/2026"), row("Two", "20/11/2026", "EXT-2")], ["EXT-1", "EXT-2"]);
  expect((await work.push()).code).toBe(0);
  const older = row("Old", "19/11/2026").replace("DE1 2GU", "");
  writeDated(work, [
    older,
    row("Two", "20/11/2026", "EXT-2"),
    row("New", "19/11/2026", "EXT-3").replace("DE1 2GU", ""),
  ]);
  const end = await work.push(["--revise"]);
  expect(statuses(end)).toEqual(["stale", "skipped", "invalid"]);
  expect(outcomeLines(end.stdout)[0]?.errors).toMatchObject([{ code: "stale", source: DATE_CELL }]);
  const open = (await work.migrate(["open", "--format", "ndjson"])).stdout.trimEnd().split("\n");
  expect(open.map((line): unknown => JSON.parse(line))).toMatchObject([{ key: "EXT-3", status: "invalid" }]);
  const sent = await work.push(["--allow-older", "--revise"]);
  expect(statuses(sent)).toEqual(["invalid", "skipped", "invalid"]);
});

test("resume does not send the older content of an interrupted run after a newer push", async () => {
  const work = dated([row("Old", "19/11/2026")]);
  await admin.supplier("Paused");
  expect((await work.push()).code).toBe(4);
  const older = await latestRun(work);
  const before = await requests();
  await admin.supplier("Ongoing");
  const text = readFileSync(work.file("accounts.csv"), "utf8");
  writeDated(work, [row("New", "20/11/2026")]);
  expect((await work.push()).code).toBe(0);
  writeFileSync(work.file("accounts.csv"), text);
  const end = await work.migrate(["resume", older, "--format", "ndjson"]);
  expect([end.code, statuses(end)]).toEqual([1, ["stale"]]);
  expect(await requests()).toBe(before + 1);
});

test("resume with --revise does not offer to re-import content that a later push has replaced", async () => {
  const work = workplace({ accounts: [{ REF: "EXT-1" }] }, sandbox);
  const latest = readFileSync(work.file("accounts.csv"), "utf8");
  const changed = latest.replace(/^EXT-1,([^,]*),[^,]*/m, "EXT-1,$1,Changed");
  expect(changed).not.toBe(latest);
  expect((await work.push()).code).toBe(0);
  writeFileSync(work.file("accounts.csv"), changed);
  await admin.supplier("Paused");
  expect((await work.push(["--revise"])).code).toBe(4);
  const older = await latestRun(work);
  await admin.supplier("Ongoing");
  writeFileSync(work.file("accounts.csv"), latest);
  expect(statuses(await work.push())).toEqual(["skipped"]);
  writeFileSync(work.file("accounts.csv"), changed);
  const before = await requests();
  const end = await work.migrate(["resume", older, "--format", "ndjson"]);
  expect([end.code, statuses(end), await requests()]).toEqual([1, ["stale"], before]);
  expect(end.stderr).not.toMatch(/--rejects/);
});

test("resume does not send older content after a later push whose content was rejected", async () => {
  const work = workplace({ accounts: [{ REF: "EXT-1" }], customers: [{ REF: "EXT-1" }] }, sandbox);
  const older = readFileSync(work.file("customers.csv"), "utf8");
  await admin.supplier("Paused");
  expect((await work.push()).code).toBe(4);
  const first = await latestRun(work);
  await admin.supplier("Ongoing");
  writeFileSync(work.file("customers.csv"), older.replace("07700 900730", "04000 000000"));
  expect(statuses(await work.push())).toEqual(["rejected"]);
  writeFileSync(work.file("customers.csv"), older);
  const before = await requests();
  const end = await work.migrate(["resume", first, "--format", "ndjson"]);
  expect([end.code, statuses(end), await requests()]).toEqual([1, ["stale"], before]);
  expect(statuses(await work.push())).toEqual(["accepted"]);
});

test("validate and push report a cell that should contain the date of its row but has another format", async () => {
  const work = dated([row("Good", "20/11/2026"), row("Bad", "20.11.2026", "EXT-2")], ["EXT-1", "EXT-2"]);
  const found = { code: "source_bad_as_of", source: { file: "accounts.csv", line: 3, column: "CHANGED" } };
  const end = await work.push();
  expect(outcomeLines(end.stdout)).toMatchObject([{ status: "accepted" }, { status: "invalid", errors: [found] }]);
  const words = ["validate", "accounts.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml"];
  const checked = await work.migrate([...words, "--format", "ndjson"]);
  expect(outcomeLines(checked.stdout)).toMatchObject([{ status: "valid" }, { status: "invalid", errors: [found] }]);
});

test("the date of an extract can come from its file name", async () => {
  const work = dated([row("New", "")]);
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const byName = mapping.replace("asOf: { column: CHANGED, date: dd/MM/yyyy }", "asOf: { fileName: yyyy-MM-dd }");
  writeFileSync(work.file("mapping.yaml"), byName);
  const push = (name: string, text: string): Promise<CliEnd> => {
    const header = "REF,TYPE,NAME,ADDRESS,POSTCODE,MPAN,CHANGED";
    writeFileSync(work.file(name), `${header}\n${text}\n`);
    const job = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--format", "ndjson", "--out", "report"];
    return work.migrate(["push", name, ...job]);
  };
  expect((await push("accounts-2026-11-20.csv", row("New", ""))).code).toBe(0);
  const older = await push("accounts-2026-11-19.csv", row("Old", ""));
  expect([older.code, outcomeLines(older.stdout)]).toMatchObject([
    1,
    [{ status: "stale", errors: [{ source: { file: "accounts-2026-11-19.csv", line: 2 } }] }],
  ]);
  const undated = await push("accounts.csv", row("New", ""));
  expect([undated.code, undated.stderr]).toEqual([2, expect.stringContaining("must contain exactly one valid date")]);

  const refused = await push("accounts-2026-11-21.csv", row("New", "").replace(",D,", ",?,"));
  expect(statuses(refused)).toEqual(["invalid"]);
  const rejects = readFileSync(work.file("report", "rejects.csv"), "utf8");
  writeFileSync(work.file("report", "rejects.csv"), rejects.replace("?", "D"));
  const again = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
  expect([again.code, statuses(again)]).toEqual([0, ["skipped"]]);
});

test("files with the same date in their names have no order: a key in two of them is a duplicate", async () => {
  const work = dated([row("Unused", "")], ["EXT-1", "EXT-2"]);
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const byName = mapping.replace("asOf: { column: CHANGED, date: dd/MM/yyyy }", "asOf: { fileName: yyyy-MM-dd }");
  writeFileSync(work.file("mapping.yaml"), byName);
  const push = (north: readonly string[], south: readonly string[]): Promise<CliEnd> => {
    const header = "REF,TYPE,NAME,ADDRESS,POSTCODE,MPAN,CHANGED";
    writeFileSync(work.file("north-2026-11-20.csv"), `${[header, ...north].join("\n")}\n`);
    writeFileSync(work.file("south-2026-11-20.csv"), `${[header, ...south].join("\n")}\n`);
    const job = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--format", "ndjson"];
    return work.migrate(["push", "north-2026-11-20.csv", "south-2026-11-20.csv", ...job]);
  };
  const both = await push([row("A", ""), row("B", "", "EXT-2")], [row("C", ""), row("B", "", "EXT-2")]);
  expect(outcomeLines(both.stdout)).toMatchObject([
    { status: "invalid", errors: [{ code: "duplicate_key" }] },
    { status: "accepted" },
    { status: "invalid", errors: [{ code: "duplicate_key" }] },
    { status: "duplicate" },
  ]);
  expect(statuses(await push([row("C", "")], [row("B", "", "EXT-2")]))).toEqual(["accepted", "skipped"]);
});

const BY_DATE = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--format", "ndjson", "--out", "report"];

/** Creates a workplace whose mapping dates rows by the modification date of their file. */
function datedByFile(): Workplace {
  const work = dated([row("New", "")]);
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const byDate = mapping.replace("asOf: { column: CHANGED, date: dd/MM/yyyy }", "asOf: { fileModified: true }");
  writeFileSync(work.file("mapping.yaml"), byDate);
  return work;
}

function writeExtract(work: Workplace, name: string, rows: readonly string[], date: string): void {
  writeFileSync(work.file(name), ["REF,TYPE,NAME,ADDRESS,POSTCODE,MPAN,CHANGED", ...rows, ""].join("\n"));
  setDate(work, name, date);
}

function setDate(work: Workplace, name: string, date: string): void {
  utimesSync(work.file(name), new Date(date), new Date(date));
}

test("the modification date of a file can be the date of its rows, except for standard input and rejects", async () => {
  const work = datedByFile();
  const push = (name: string, flags: readonly string[] = []): Promise<CliEnd> =>
    work.migrate(["push", name, ...BY_DATE, ...flags]);
  writeExtract(work, "new.csv", [row("New", "")], "2026-11-20T08:00:00.700Z");
  writeExtract(work, "old.csv", [row("Old", "")], "2026-11-20T07:59:59.900Z");
  expect((await push("new.csv")).code).toBe(0);
  for (const flags of [["--dry-run", "--threads", "2"], ["--revise"]]) {
    const older = await push("old.csv", flags);
    expect([older.code, outcomeLines(older.stdout)]).toMatchObject([
      1,
      [{ status: "stale", errors: [{ source: { file: "old.csv", line: 2 } }] }],
    ]);
  }
  setDate(work, "old.csv", "2026-11-20T08:00:00.100Z");
  expect(statuses(await push("old.csv"))).toEqual(["invalid"]);

  const input = readFileSync(work.file("new.csv"));
  const piped = await work.migrate(["push", "-", ...BY_DATE], { input });
  expect([piped.code, piped.stderr]).toEqual([
    2,
    expect.stringContaining("-: standard input has no modification date"),
  ]);

  writeExtract(work, "later.csv", [row("New", "").replace(",D,", ",?,")], "2026-11-21T08:00:00Z");
  expect(statuses(await push("later.csv"))).toEqual(["invalid"]);
  const rejects = readFileSync(work.file("report", "rejects.csv"), "utf8");
  writeFileSync(work.file("report", "rejects.csv"), rejects.replace("?", "D"));
  setDate(work, "report/rejects.csv", "2020-01-01");
  const again = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
  expect([again.code, statuses(again)]).toEqual([0, ["skipped"]]);
});

test("a resumed run uses the date that the file had when the run began", async () => {
  const work = datedByFile();
  killAtFirstRow(work);
  writeExtract(work, "old.csv", [row("Old", "")], "2026-11-19");
  expect((await work.start(["push", "old.csv", ...BY_DATE]).ended).code).toBe(null);
  const older = await latestRun(work);
  writeExtract(work, "new.csv", [row("New", "")], "2026-11-20");
  expect((await work.migrate(["push", "new.csv", ...BY_DATE])).code).toBe(0);
  setDate(work, "old.csv", "2026-11-21");
  const end = await work.migrate(["resume", older, "--format", "ndjson"]);
  expect([end.code, statuses(end)]).toEqual([1, ["stale"]]);
});

/** Adds to the mapping a function that kills the first process that calls it. */
function killAtFirstRow(work: Workplace): void {
  writeFileSync(
    work.file("functions.mjs"),
    `import { execFileSync } from "node:child_process";
     import { existsSync, writeFileSync } from "node:fs";
     export function trap(value) {
       if (!existsSync("sprung")) {
         writeFileSync("sprung", "");
         execFileSync("kill", ["-s", "KILL", String(process.pid)]);
       }
       return value;
     }`,
  );
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const trapped = mapping.replace("billing_name: NAME", "billing_name: { from: NAME, call: trap }");
  writeFileSync(work.file("mapping.yaml"), `functions: ./functions.mjs\n${trapped}`);
}
