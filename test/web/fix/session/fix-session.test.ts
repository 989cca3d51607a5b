import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addCorrections } from "../../../../src/commands/corrections/add-corrections.ts";
import { readSettings } from "../../../../src/cli/settings/settings.ts";
import { goodAccounts } from "../../../e2e/push-scene.ts";
import { scaledTimeout } from "../../../scaled-timeout.ts";
import { dependenciesForTest, edit, errorsOf, type FixScene, fixScene, rowsOf, sourceOf, TAB } from "../fix-scene.ts";

/** Writes three accounts. The second has an unknown type; the third has two customers with the same wrong date. */
function threeAccounts(): FixScene {
  const [one, two, three] = goodAccounts(3);
  return fixScene({
    accounts: [
      { ...one, REF: "EXT-00001" },
      { ...two, REF: "EXT-00002", TYPE: "X" },
      { ...three, REF: "EXT-00003" },
    ],
    customers: [
      { REF: "EXT-00001" },
      { REF: "EXT-00002" },
      { REF: "EXT-00003", SEQ: "1", DOB: "31/02/1971" },
      { REF: "EXT-00003", SEQ: "2", DOB: "31/02/1971" },
    ],
  });
}

describe("the rows that need work", () => {
  test("are listed by source, with the messages of their cells and advice for each cause", async () => {
    const session = await threeAccounts().open();
    const { records, causes, sources } = session.overview();
    expect(records).toEqual({ total: 2, open: 2, recheck: 0 });
    expect(sources.map(({ name }) => name)).toEqual(["accounts", "customers"]);
    expect(causes.map(({ title, rows }) => [title, ...rows.map(({ rows: count }) => count)])).toEqual([
      ["All causes", 1, 2],
      ["Date of birth is not valid", 2],
      ["Account type is not one of the allowed values", 1],
    ]);
    expect(errorsOf(session, "accounts")).toEqual([expect.stringMatching(/^3 TYPE: Must be one of: /)]);
    expect(errorsOf(session, "customers")).toHaveLength(2);
    expect(rowsOf(session, "accounts")[0]).toMatchObject({
      key: "EXT-00002",
      file: expect.stringMatching(/accounts.csv$/),
      line: 3,
      state: "open",
    });
    expect(causes[1]?.advice).toContain("Correct the cells");
  });

  test("are filtered by cause, and listed by position", async () => {
    const session = await threeAccounts().open();
    const { index } = sourceOf(session, "customers");
    const cause = session.overview().causes.find(({ title }) => title.startsWith("Date"))?.id ?? -1;
    expect(session.rows({ source: index, cause, from: 1, count: 5 }, true).map(({ line }) => line)).toEqual([5]);
    expect(rowsOf(session, "accounts", cause)).toEqual([]);
  });

  test("contain shapes instead of values unless values are shown", async () => {
    const session = await threeAccounts().open();
    const { index } = sourceOf(session, "customers");
    const hidden = JSON.stringify(session.rows({ source: index, cause: 0, from: 0, count: 9 }, false));
    expect(hidden).toContain("99/99/9{4}");
    expect(hidden).not.toContain("31/02/1971");
  });

  test("are listed with the possible values of a column", async () => {
    const session = await threeAccounts().open();
    const { source } = sourceOf(session, "accounts");
    expect(source.choices[source.columns.indexOf("TYPE")]).toEqual(["D", "B"]);
  });
});

describe("an edit", () => {
  test("is on disk as a correction by the time it is shown as saved, and is checked immediately", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    expect(await edit(session, ["accounts", 0, "TYPE", "B"])).toEqual({ saved: 1, refused: 0, refusals: [] });
    expect(await scene.corrections()).toEqual(["accounts EXT-00002 TYPE B"]);
    expect(statSync(scene.file("fixes.csv")).mode & 0o777).toBe(0o600);
    expect(existsSync(scene.file("fixes.csv.lock"))).toBe(false);
    expect(session.overview().records).toEqual({ total: 2, open: 1, recheck: 0 });
    const [row] = rowsOf(session, "accounts");
    expect(row).toMatchObject({ state: "fixed", marks: [], edited: [{ by: "ann@desk" }] });
    expect(session.overview().causes.find(({ title }) => title.startsWith("Account"))?.rows).toMatchObject([
      { rows: 1, open: 0 },
    ]);
  });

  test("that is still invalid shows the new message", async () => {
    const session = await threeAccounts().open();
    await edit(session, ["customers", 0, "DOB", "1971-02-30"]);
    await edit(session, ["customers", 1, "DOB", "1971-02-28"]);
    expect(errorsOf(session, "customers")).toEqual([expect.stringMatching(/^4 DOB: /)]);
    expect(session.overview().records.open).toBe(2);
  });

  test("of one of several rows with the same key and value changes only this row", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await edit(session, ["customers", 1, "DOB", "1971-02-28"]);
    expect(rowsOf(session, "customers").map(({ state }) => state)).toEqual(["open", "fixed"]);
    const again = await scene.open();
    expect(errorsOf(again, "customers")).toEqual([expect.stringMatching(/^4 DOB: /)]);
    await edit(again, ["customers", 0, "DOB", "1972-02-29"]);
    expect((await scene.open()).overview().records.total).toBe(1);
  });

  test("of one of two equal rows changes both rows, and the project can still be checked", async () => {
    const customer = { REF: "A", SEQ: "1", DOB: "31/02/1971" };
    const scene = fixScene({ accounts: [{ REF: "A" }], customers: [customer, customer] });
    const session = await scene.open();
    await edit(session, ["customers", 1, "DOB", "1971-02-28"]);
    expect(rowsOf(session, "customers").map(({ state }) => state)).toEqual(["fixed", "fixed"]);
    expect((await scene.open()).overview().records.total).toBe(0);
  });

  test("is appended to a file that a spreadsheet has saved with semicolons", async () => {
    const scene = threeAccounts();
    await edit(await scene.open(), ["accounts", 0, "TYPE", "D"]);
    const text = readFileSync(scene.file("fixes.csv"), "utf8").replaceAll(",", ";").replaceAll("\n", "\r\n");
    writeFileSync(scene.file("fixes.csv"), `\uFEFF${text}`);
    const [one, two] = [await scene.open(), await scene.open("bob@desk")];
    await edit(one, ["customers", 0, "DOB", "1971-02-28"]);
    await edit(two, ["customers", 1, "DOB", "1972-02-29"]);
    expect((await scene.open()).overview().records.total).toBe(0);
  });

  test("can add an error to a row that had none, and the grid then shows the row", async () => {
    const session = await threeAccounts().open();
    const { index } = sourceOf(session, "accounts");
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    await edit(session, ["accounts", 0, "POSTCODE", "?"]);
    expect(session.overview().records.open).toBe(2);
    expect(session.overview().causes.find(({ title }) => title.startsWith("Billing postcode"))?.rows[0]).toMatchObject({
      source: index,
      rows: 1,
      open: 1,
    });
  });

  test("that restores the value in the extract removes the correction", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    await edit(session, ["accounts", 0, "TYPE", "X"]);
    expect(await scene.corrections()).toEqual([]);
    expect(rowsOf(session, "accounts")[0]).toMatchObject({ state: "open", edited: [] });
  });

  test("is included in the next check, which finds the same errors as the session", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    await edit(session, ["customers", 0, "DOB", "1971-02-28"]);
    const again = await scene.open();
    expect(again.overview().records).toEqual({ total: 1, open: 1, recheck: 0 });
    expect(errorsOf(again, "customers")).toEqual(errorsOf(session, "customers"));
  });

  test("of a cell that an earlier session corrected replaces that correction", async () => {
    const scene = threeAccounts();
    await edit(await scene.open(), ["customers", 0, "DOB", "1971-02-30"]);
    const session = await scene.open();
    expect(rowsOf(session, "customers")[0]?.edited).toHaveLength(1);
    await edit(session, ["customers", 0, "DOB", "1971-02-28"]);
    expect((await scene.corrections()).filter((line) => line.includes("1971-02-"))).toEqual([
      "customers EXT-00003 DOB 1971-02-28",
    ]);
    await session.undo(TAB);
    expect(await scene.corrections()).toEqual(["customers EXT-00003 DOB 1971-02-30"]);
  });

  test("with a value that the file cannot contain is refused, and nothing is saved", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await expect(edit(session, ["accounts", 0, "TYPE", "a\0b"])).rejects.toMatchObject({ code: "usage" });
    expect(existsSync(scene.file("fixes.csv"))).toBe(false);
    await edit(session, ["accounts", 0, "NAME", 'a "quoted",\r\ntext; =1+1']);
    expect(await scene.corrections()).toEqual(['accounts EXT-00002 NAME a "quoted",\r\ntext; =1+1']);
  });

  test("adds the corrections file to a configuration that names none", async () => {
    const scene = threeAccounts();
    scene.change("migrate.yaml", "corrections: fixes.csv\n", "");
    const session = await scene.open();
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    await edit(session, ["accounts", 0, "NAME", "Ann"]);
    expect(readFileSync(scene.file("migrate.yaml"), "utf8")).toMatch(/corrections: corrections.csv\n$/);
    expect((await scene.open()).overview().records.total).toBe(1);
  });
});

describe("several edits", () => {
  test("that replace a value in all rows of a cause are undone together", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    const { index, source } = sourceOf(session, "customers");
    const column = source.columns.indexOf("DOB");
    expect(await session.values({ source: index, cause: 0, column })).toEqual([{ value: "31/02/1971", count: 2 }]);
    const replaced = await session.replace(
      { source: index, cause: 0, column, from: "31/02/1971", value: "1971-02-28" },
      TAB,
    );
    expect(replaced.saved).toBe(2);
    expect(session.overview().records.open).toBe(1);
    expect((await session.undo(TAB)).saved).toBe(2);
    expect(session.overview().records.open).toBe(2);
    expect(await scene.corrections()).toEqual([]);
    expect((await session.undo(TAB)).saved).toBe(0);
  });

  test("of one column are undone one after the other, the latest edit first", async () => {
    const session = await threeAccounts().open();
    await edit(session, ["accounts", 0, "TYPE", "D"]);
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    const type = (): string | null | undefined =>
      rowsOf(session, "accounts")[0]?.cells[sourceOf(session, "accounts").source.columns.indexOf("TYPE")];
    await session.undo(TAB);
    expect(type()).toBe("D");
    await session.undo({ tab: "two", seen: 0 });
    expect(type()).toBe("D");
    await session.undo(TAB);
    expect(type()).toBe("X");
  });
});

describe("a fill down", () => {
  test("ends at the last listed row", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    const { index, source } = sourceOf(session, "customers");
    const columns = [source.columns.indexOf("DOB")];
    await edit(session, ["customers", 0, "DOB", "1971-02-28"]);
    const startedAt = performance.now();
    expect(
      await session.fillDown({ source: index, cause: 0, columns, first: 0, last: 1_000_000_000 }, TAB),
    ).toMatchObject({ saved: 1, refused: 0 });
    expect(performance.now() - startedAt).toBeLessThan(scaledTimeout(10_000));
    expect(session.overview().records.open).toBe(1);
  });
});

describe("concurrent changes", () => {
  test("in two tabs of one session: an edit of a cell that the other tab has changed is refused", async () => {
    const session = await threeAccounts().open();
    const { seq } = session.overview();
    await edit(session, ["accounts", 0, "TYPE", "B"], { tab: "one", seen: seq });
    const second = await edit(session, ["accounts", 0, "TYPE", "D"], { tab: "two", seen: seq });
    expect(second).toMatchObject({ saved: 0, refused: 1, refusals: [{ reason: "edited", column: "TYPE" }] });
    expect(session.changedSince(seq, true).rows).toMatchObject([{ key: "EXT-00002", state: "fixed" }]);
    const third = await edit(session, ["accounts", 0, "TYPE", "D"], { tab: "two", seen: session.overview().seq });
    expect(third.saved).toBe(1);
    expect(await session.undo({ tab: "one", seen: 0 })).toMatchObject({ saved: 0, refused: 1 });
  });

  test("in many rows and columns: another tab receives every changed row", async () => {
    const accounts = goodAccounts(300);
    const customers = accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" }));
    const session = await fixScene({ accounts, customers }).open();
    const { seq } = session.overview();
    const { index, source } = sourceOf(session, "customers");
    const cells = accounts.flatMap((_account, position) => [
      { position, column: source.columns.indexOf("DOB"), value: "1971-02-28" },
      { position, column: source.columns.indexOf("FIRST"), value: "Ann" },
    ]);
    await session.edit({ source: index, cause: 0, cells }, TAB);
    const { rows, hasMoreRows } = session.changedSince(seq, true);
    expect(rows).toHaveLength(300);
    expect(hasMoreRows).toBe(false);
  });

  test("in a row that became invalid after the check: the tab receives the row", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    const { job } = await readSettings([], {}, scene.folder);
    const requests = [{ key: "EXT-00002", source: "customers", column: "DOB", value: "31/02/1971" }];
    const options = { job: { ...job, corrections: undefined }, file: scene.file("fixes.csv"), requests, by: "cli" };
    await addCorrections(options, dependenciesForTest());
    await session.refresh();
    const { seq } = session.overview();
    await edit(session, ["customers", 2, "DOB", "1971-02-28"]);
    expect(session.changedSince(seq, true).rows).toMatchObject([{ line: 3 }, { line: 3, state: "fixed" }]);
  });

  test("by two servers on one folder: no edit is lost, and each server shows the edits of the other", async () => {
    const scene = threeAccounts();
    const [ann, bob] = [await scene.open("ann@desk"), await scene.open("bob@home")];
    await edit(ann, ["accounts", 0, "TYPE", "B"]);
    expect(await edit(bob, ["accounts", 0, "TYPE", "D"])).toMatchObject({ saved: 0, refusals: [{ reason: "edited" }] });
    expect(rowsOf(bob, "accounts")[0]).toMatchObject({ state: "fixed", edited: [{ by: "ann@desk" }] });
    await Promise.all([
      edit(ann, ["customers", 0, "DOB", "1971-02-28"]),
      edit(bob, ["customers", 1, "DOB", "1972-02-29"]),
    ]);
    await ann.refresh();
    expect(ann.overview().records).toEqual({ total: 2, open: 0, recheck: 0 });
    expect(await scene.corrections()).toHaveLength(3);
  });

  test("made on the command line are shown as corrections", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    const { job } = await readSettings([], {}, scene.folder);
    const requests = [{ key: "EXT-00002", column: "TYPE", value: "B" }];
    const options = { job: { ...job, corrections: undefined }, file: scene.file("fixes.csv"), requests, by: "cli" };
    await addCorrections(options, dependenciesForTest());
    await session.refresh();
    expect(rowsOf(session, "accounts")[0]).toMatchObject({ state: "fixed", edited: [{ by: "cli" }] });
  });

  test("by an editor that replaces the file: nothing is saved until the project is checked again", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    writeFileSync(scene.file("fixes.csv"), "key,source\n");
    await expect(edit(session, ["accounts", 0, "TYPE", "D"])).rejects.toMatchObject({ code: "source_changed" });
  });

  test("by an editor that changes a line in place: nothing is saved until the project is checked again", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    scene.change("fixes.csv", ",B,", ",D,");
    await expect(session.refresh()).rejects.toMatchObject({
      code: "source_changed",
      message: `another program changed or removed lines of ${scene.file("fixes.csv")}`,
    });
    await expect(edit(session, ["customers", 0, "DOB", "1971-02-28"])).rejects.toMatchObject({
      code: "source_changed",
    });
    await edit(await scene.open(), ["customers", 0, "DOB", "1971-02-28"]);
    expect(await scene.corrections()).toEqual(["accounts EXT-00002 TYPE D", "customers EXT-00003 DOB 1971-02-28"]);
  });

  test("by an editor that adds a line without a line ending to a copy of the file: the line is used", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    await edit(session, ["customers", 0, "DOB", "1971-02-28"]);
    const text = readFileSync(scene.file("fixes.csv"), "utf8");
    const [, line = ""] = text.split("\n");
    writeFileSync(scene.file("copy.csv"), `${text}${line.replace("1971-02-28", "1971-03-01")}`);
    renameSync(scene.file("copy.csv"), scene.file("fixes.csv"));
    await edit(session, ["accounts", 0, "TYPE", "B"]);
    expect(session.overview().records.open).toBe(1);
    expect(await scene.corrections()).toEqual(["customers EXT-00003 DOB 1971-03-01", "accounts EXT-00002 TYPE B"]);
  });

  test("by a program that is stopped while it writes a line: the incomplete line is ignored and then removed", async () => {
    const scene = threeAccounts();
    const [session, other] = [await scene.open(), await scene.open()];
    await edit(session, ["customers", 0, "DOB", "1971-02-28"]);
    appendFileSync(scene.file("fixes.csv"), 'EXT-00002,accounts,TYPE,"');
    await session.refresh();
    expect((await scene.open()).overview().incompleteLine).toBe(3);
    await edit(other, ["accounts", 0, "TYPE", "B"]);
    await session.refresh();
    expect(rowsOf(session, "accounts")[0]).toMatchObject({ state: "fixed" });
    expect((await scene.open()).overview()).not.toHaveProperty("incompleteLine");
    expect(await scene.corrections()).toEqual(["customers EXT-00003 DOB 1971-02-28", "accounts EXT-00002 TYPE B"]);
  });
});

describe("files that change during a session:", () => {
  test("a cell whose value in the extract has changed is reported instead of being overwritten, but other cells are saved", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    scene.change("accounts.csv", "EXT-00002,X", "EXT-00002,Y");
    const refused = await edit(session, ["accounts", 0, "TYPE", "B"]);
    expect(refused).toMatchObject({
      saved: 0,
      refusals: [{ key: "EXT-00002", reason: "source_changed", message: expect.stringMatching(/^The value of this/) }],
    });
    expect(session.overview().changedFile).toMatch(/accounts.csv$/);
    expect((await edit(session, ["customers", 1, "DOB", "1971-02-28"])).saved).toBe(1);
    const again = await scene.open();
    expect((await edit(again, ["accounts", 0, "TYPE", "B"])).saved).toBe(1);
  });

  test("a cell of one of several rows with the same key is not saved if another cell of its row has changed", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    scene.change("customers.csv", "EXT-00003,1", "EXT-00003,7");
    expect(await edit(session, ["customers", 0, "DOB", "1971-02-28"])).toMatchObject({
      saved: 0,
      refusals: [
        { key: "EXT-00003", reason: "source_changed", message: expect.stringMatching(/^This row of the file/) },
      ],
    });
    expect((await edit(session, ["customers", 1, "DOB", "1971-02-28"])).saved).toBe(1);
  });

  test("the next check lists a correction of a value that has since changed", async () => {
    const scene = threeAccounts();
    await edit(await scene.open(), ["accounts", 0, "TYPE", "B"]);
    scene.change("accounts.csv", "EXT-00002,X", "EXT-00002,Y");
    const { outdated } = (await scene.open()).overview();
    expect(outdated).toMatchObject({ count: 1, listed: [{ key: "EXT-00002", column: "TYPE" }] });
  });

  test.each([
    ["accounts.csv", "EXT-00009,D\n"],
    ["mapping.yaml", "# changed\n"],
  ])("the overview names a changed file, and contains no other text about it: %s", async (name, added) => {
    const scene = threeAccounts();
    const session = await scene.open();
    appendFileSync(scene.file(name), added);
    await session.refresh();
    expect(path.basename(session.overview().changedFile ?? "")).toBe(name);
  });

  test("a changed mapping requires a new check", async () => {
    const scene = threeAccounts();
    const session = await scene.open();
    appendFileSync(scene.file("mapping.yaml"), "# changed\n");
    await expect(edit(session, ["accounts", 0, "TYPE", "B"])).rejects.toMatchObject({
      code: "source_changed",
      message: "mapping.yaml has changed since the check",
    });
    expect(existsSync(scene.file("fixes.csv"))).toBe(false);
  });
});

describe("rows with key errors", () => {
  test("are locked if they have no key, and explain the fix", async () => {
    const scene = fixScene({
      accounts: goodAccounts(2),
      customers: [{ REF: "EXT-00001" }, { REF: "EXT-00002" }, { REF: "" }],
    });
    const session = await scene.open();
    const [row] = rowsOf(session, "customers");
    expect(row?.locked).toContain("This row has no key in REF");
    expect(await edit(session, ["customers", 0, "REF", "EXT-00001"])).toMatchObject({
      refusals: [{ reason: "locked" }],
    });
  });

  test("that belong to no record wait for the next check once their key is corrected", async () => {
    const scene = fixScene({ accounts: goodAccounts(2), customers: [{ REF: "EXT-00001" }, { REF: "EXT-0002" }] });
    const session = await scene.open();
    expect(rowsOf(session, "customers")).toMatchObject([{ key: "EXT-0002" }]);
    await edit(session, ["customers", 0, "REF", "EXT-00002"]);
    expect(session.overview().records).toMatchObject({ recheck: 1 });
    expect(rowsOf(session, "customers")).toMatchObject([{ state: "recheck" }]);
    expect((await scene.open()).overview().records.total).toBe(0);
  });

  test("that belong to two records with the same key are listed with the error", async () => {
    const [one] = goodAccounts(1);
    const scene = fixScene({
      accounts: [
        { ...one, REF: "EXT-00001" },
        { ...one, REF: "EXT-00001", NAME: "Other" },
      ],
    });
    const session = await scene.open();
    expect(rowsOf(session, "accounts").length).toBeGreaterThan(0);
    expect(errorsOf(session, "accounts").join()).toMatch(/key|REF/);
  });
});

test("a very long value is truncated in the grid, but can be read in full and replaced", async () => {
  const long = "x".repeat(1_000_000);
  const scene = fixScene({ accounts: [{ REF: "EXT-00001", NAME: long }] });
  const session = await scene.open();
  const { source } = sourceOf(session, "accounts");
  const column = source.columns.indexOf("NAME");
  const [row] = rowsOf(session, "accounts");
  expect(row?.cut).toEqual([column]);
  expect(row?.cells[column]).toHaveLength(2000);
  expect(session.value(row?.id ?? 0, column)).toHaveLength(1_000_000);
  await edit(session, ["accounts", 0, "NAME", "y".repeat(999_999)]);
  await edit(session, ["accounts", 0, "NAME", "Amina"]);
  expect(rowsOf(session, "accounts")[0]).toMatchObject({ state: "fixed" });
});

test("a check prints neither progress nor messages in the terminal", async () => {
  const scene = fixScene({ accounts: [...goodAccounts(2), { REF: "BAD", TYPE: "X" }] });
  const events: unknown[] = [];
  await scene.open("ann@desk", [], (event) => events.push(event));
  expect(events).toEqual([]);
});
