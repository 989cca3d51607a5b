import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { sha256Of } from "../../../../src/read/corrections/correction.ts";
import { CORRECTION_COLUMNS } from "../../../../src/read/corrections/corrections-file.ts";
import type { EditProgress, FixState } from "../../../../src/web/fix/fix-types.ts";
import type { FixSession } from "../../../../src/web/fix/fix-session.ts";
import { goodAccounts } from "../../../e2e/push-scene.ts";
import { clientOf, startWeb } from "../../web-scene.ts";
import { edit, type FixScene, fixScene, rowsOf, sceneIn, sourceOf, TAB } from "../fix-scene.ts";

/** Enough rows for an edit to be saved in more than two groups. */
const MANY = 2300;

function wrongDates(count: number): FixScene {
  const accounts = goodAccounts(count);
  return fixScene({ accounts, customers: accounts.map(({ REF }) => ({ REF, DOB: "31/02/1971" })) });
}

function replacementIn(session: FixSession): Parameters<FixSession["replace"]>[0] {
  const { index, source } = sourceOf(session, "customers");
  return { source: index, cause: 0, column: source.columns.indexOf("DOB"), from: null, value: "1971-02-28" };
}

/** A process id that no process uses. */
const DEAD = { pid: 2 ** 22 + 1 };

test("a replacement in many rows shows its progress, and is undone as a whole", async () => {
  const scene = wrongDates(MANY);
  const session = await scene.open();
  const seen: EditProgress[] = [];
  const isNoted: boolean[] = [];
  const done = { yet: false };
  const replacing = session.replace(replacementIn(session), TAB).finally(() => (done.yet = true));
  while (!done.yet) {
    const { progress } = session.overview();
    if (progress !== undefined) seen.push(progress);
    isNoted.push(notes(scene).length > 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await replacing).saved).toBe(MANY);
  expect(new Set(seen.map((each) => each.done))).toEqual(new Set([0, 1000, 2000]));
  expect(seen.every(({ total }) => total === MANY)).toBe(true);
  expect(isNoted).toContain(true);
  expect(notes(scene)).toEqual([]);
  expect(session.overview()).not.toHaveProperty("progress");
  expect(session.overview().records).toEqual({ total: MANY, open: 0, recheck: 0 });
  expect(session.overview().causes.every(({ rows }) => rows.every(({ open }) => open === 0))).toBe(true);
  expect((await session.undo(TAB)).saved).toBe(MANY);
  expect(await scene.corrections()).toEqual([]);
  expect(session.overview().records.open).toBe(MANY);
  expect(rowsOf(session, "customers").every(({ edited, state }) => edited.length === 0 && state === "open")).toBe(true);
});

test("a replacement in many rows is refused if a source has changed since the check", async () => {
  const scene = wrongDates(MANY);
  const session = await scene.open();
  scene.change("customers.csv", "31/02/1971", "30/02/1971");
  await expect(session.replace(replacementIn(session), TAB)).rejects.toMatchObject({
    code: "source_changed",
    message: "a source file has changed since the check",
  });
  expect(existsSync(scene.file("fixes.csv"))).toBe(false);
});

/** Returns the names of the files that note unfinished edits. */
function notes({ folder }: FixScene): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".unfinished"));
}

/**
 * Makes an edit of the rows with these keys look interrupted. Writes the note that a killed program leaves, and gives
 * their corrections the date of the note.
 */
function interrupt(
  scene: FixScene,
  keys: readonly string[],
  note: { readonly at: string; readonly by?: string },
): void {
  const lines = readFileSync(scene.file("fixes.csv"), "utf8").split("\n");
  const changed = lines.map((line) => {
    const cells = line.split(",");
    return keys.includes(cells[0] ?? "") ? cells.with(7, note.at).join() : line;
  });
  writeFileSync(scene.file("fixes.csv"), changed.join("\n"));
  const written = { ...DEAD, source: "customers", column: "DOB", by: "ann@desk", ...note };
  writeFileSync(scene.file(`fixes.csv.${notes(scene).length}.unfinished`), JSON.stringify(written));
}

/** Saves a complete edit, then two cells of an edit that is interrupted while its third line is written. */
async function interrupted(scene: FixScene = wrongDates(4)): Promise<FixScene> {
  const session = await scene.open();
  await edit(session, ["customers", 0, "DOB", "1971-01-01"]);
  await edit(session, ["customers", 1, "DOB", "1971-02-28"]);
  await edit(session, ["customers", 2, "DOB", "1971-02-28"]);
  interrupt(scene, ["EXT-00002", "EXT-00003"], UNFINISHED);
  appendFileSync(scene.file("fixes.csv"), "EXT-00004,customers,DO");
  return scene;
}

const UNFINISHED = { source: "customers", column: "DOB", at: "2026-11-22T17:50:00Z", saved: 2 };
const LATER = "2026-11-22T17:51:00Z";

test("an interrupted edit is reported with its saved cells until the user keeps or undoes these cells", async () => {
  const scene = await interrupted();
  const session = await scene.open();
  expect(session.overview().unfinished).toEqual(UNFINISHED);
  expect(session.overview().records).toMatchObject({ open: 1 });
  expect(await scene.corrections()).toHaveLength(3);
  await edit(session, ["customers", 0, "DOB", "1971-02-01"]);
  const again = await scene.open();
  expect(again.overview().unfinished).toEqual(UNFINISHED);
  expect((await again.settleUnfinished(UNFINISHED.at, "keep")).saved).toBe(0);
  expect(again.overview()).not.toHaveProperty("unfinished");
  expect(notes(scene)).toEqual([]);
  expect(await scene.corrections()).toHaveLength(4);
});

test("the saved cells of an interrupted edit can be undone in a later session", async () => {
  const scene = await interrupted();
  const session = await scene.open();
  expect((await session.settleUnfinished(UNFINISHED.at, "undo")).saved).toBe(2);
  expect(await scene.corrections()).toEqual(["customers EXT-00001 DOB 1971-01-01"]);
  expect((await scene.open()).overview()).not.toHaveProperty("unfinished");
});

test("unfinished edits of two programs are reported one after the other", async () => {
  const scene = await interrupted();
  await edit(await scene.open(), ["customers", 0, "DOB", "1971-03-01"]);
  interrupt(scene, ["EXT-00004"], { at: LATER });
  const session = await scene.open();
  expect(session.overview().unfinished).toEqual(UNFINISHED);
  expect((await session.settleUnfinished(UNFINISHED.at, "undo")).saved).toBe(2);
  expect(session.overview().unfinished).toEqual({ ...UNFINISHED, at: LATER, saved: 1 });
  expect((await session.settleUnfinished(UNFINISHED.at, "undo")).saved).toBe(0);
  expect((await scene.open()).overview().unfinished).toEqual({ ...UNFINISHED, at: LATER, saved: 1 });
  expect((await session.settleUnfinished(LATER, "keep")).saved).toBe(0);
  expect(notes(scene)).toEqual([]);
  expect(await scene.corrections()).toEqual([
    "customers EXT-00001 DOB 1971-01-01",
    "customers EXT-00004 DOB 1971-03-01",
  ]);
});

test("an interrupted edit does not include cells that the same user has changed afterwards", async () => {
  const scene = wrongDates(4);
  const session = await scene.open();
  await interrupted(scene);
  await session.refresh();
  await edit(session, ["customers", 1, "DOB", "1971-05-05"]);
  await edit(session, ["customers", 3, "DOB", "1971-06-06"]);
  const again = await scene.open();
  expect(again.overview().unfinished).toEqual({ ...UNFINISHED, saved: 1 });
  expect((await again.settleUnfinished(UNFINISHED.at, "undo")).saved).toBe(1);
  expect(await scene.corrections()).toEqual([
    "customers EXT-00001 DOB 1971-01-01",
    "customers EXT-00002 DOB 1971-05-05",
    "customers EXT-00004 DOB 1971-06-06",
  ]);
});

test("two programs that change many cells at the same time keep separate notes", async () => {
  const scene = wrongDates(MANY);
  const [one, two] = [await scene.open(), await scene.open()];
  const most = { notes: 0 };
  const done = { yet: false };
  const editing = Promise.all([
    one.replace(replacementIn(one), TAB),
    two.replace({ ...replacementIn(two), column: 2, value: "Ann" }, { ...TAB, tab: "two" }),
  ]).finally(() => (done.yet = true));
  while (!done.yet) {
    most.notes = Math.max(most.notes, notes(scene).length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [first, second] = await editing;
  expect(most.notes).toBe(2);
  expect(notes(scene)).toEqual([]);
  expect([first.saved, second.saved]).toEqual([MANY, MANY]);
  expect(await scene.corrections()).toHaveLength(2 * MANY);
});

test("a replacement is refused, before the first cell is saved, if the file would become too large", async () => {
  const scene = wrongDates(MANY);
  const session = await scene.open();
  const { index, source } = sourceOf(session, "customers");
  const column = source.columns.indexOf("FIRST");
  // 40 KB in each of 2,300 cells.
  const replacement = { source: index, cause: 0, column, from: null, value: "x".repeat(40_000) };
  await expect(session.replace(replacement, TAB)).rejects.toMatchObject({
    code: "usage",
    message: `${scene.file("fixes.csv")} would become larger than 64 MiB`,
  });
  expect(existsSync(scene.file("fixes.csv"))).toBe(false);
  expect(notes(scene)).toEqual([]);
});

test("undoing a replacement is refused, before the first cell is restored, if the file would become too large", async () => {
  const scene = wrongDates(MANY);
  const reason = "x".repeat(2 ** 20);
  const old = sha256Of("another value");
  const lines = Array.from({ length: 63 }, (_, index) =>
    [`EXT-${index}`, "customers", "DOB", old, "", "x", "ann", "2026-11-27", reason, "set"].join(),
  );
  const room = "y".repeat(2 ** 20 - 550_000);
  lines.push(["EXT-1", "customers", "LAST", old, "", "x", "ann", "2026-11-27", room, "set"].join());
  writeFileSync(scene.file("fixes.csv"), `${[CORRECTION_COLUMNS.join(), ...lines].join("\n")}\n`);
  const session = await scene.open();
  expect((await session.replace(replacementIn(session), TAB)).saved).toBe(MANY);
  const { size } = statSync(scene.file("fixes.csv"));
  expect(size).toBeGreaterThan(63.75 * 2 ** 20);
  await expect(session.undo(TAB)).rejects.toMatchObject({ code: "usage" });
  expect(statSync(scene.file("fixes.csv")).size).toBe(size);
  expect(session.overview().records.open).toBe(0);
});

test("the note of a running program is not reported", async () => {
  const scene = wrongDates(2);
  const note = { pid: process.pid, source: "customers", column: "DOB", at: "", by: "ann@desk" };
  writeFileSync(scene.file("fixes.csv.1.unfinished"), JSON.stringify(note));
  expect((await scene.open()).overview()).not.toHaveProperty("unfinished");
});

test("a replacement during which the server is killed is saved completely, or its saved part is reported", async () => {
  const scene = wrongDates(MANY);
  const web = await startWeb(scene.folder);
  const client = await clientOf(web);
  const state = await readyState(() => client.get<FixState>("/api/fix"));
  const source = state.sources.findIndex(({ name }) => name === "customers");
  const column = state.sources[source]?.columns.indexOf("DOB");
  const replacement = { source, cause: 0, column, from: null, value: "1971-02-28" };
  const editor = { session: state.session, tab: "one", seen: 0, values: "hidden" };
  const replacing = client.post("/api/fix/replace", { ...editor, ...replacement }).catch(() => undefined);
  const file = path.join(scene.folder, "fixes.csv");
  while (!existsSync(file) || statSync(file).size === 0) await delay(1);
  web.cli.kill("SIGKILL");
  await Promise.all([web.cli.ended, replacing]);

  const session = await sceneIn(scene.folder).open();
  const saved = readFileSync(file, "utf8").trimEnd().split("\n").length - 1;
  expect(saved).toBeGreaterThan(0);
  expect(session.overview().records.open).toBe(MANY - saved);
  expect(session.overview().unfinished?.saved ?? MANY).toBe(saved);
});

async function readyState(get: () => Promise<FixState>): Promise<FixState & { readonly status: "ready" }> {
  for (;;) {
    const state = await get();
    if (state.status === "ready") return state;
    if (state.status === "failed") throw new Error(state.error.message);
    await delay(50);
  }
}
