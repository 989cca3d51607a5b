import type { Correction } from "../../../read/corrections/correction.ts";
import type { Found, SessionStore } from "../session/session-store.ts";

/** One changed cell, for undo. */
export interface Step {
  readonly identity: string;
  readonly before: Correction | undefined;
  readonly after: Correction | undefined;
}

interface Edit {
  readonly batch: number;
  readonly tab: string;
}

/** Returns the number for the next edit. */
export function nextBatch(store: SessionStore): number {
  return 1 + Number(store.one("select batch from step order by id desc limit 1")?.["batch"] ?? 0);
}

/** Stores the changed cells of an edit, so that the edit can be reverted. The caller must begin a transaction. */
export function noteSteps(steps: readonly Step[], { batch, tab }: Edit, store: SessionStore): void {
  for (const { identity, before, after } of steps) {
    const { key = "", column = "" } = after ?? before ?? {};
    const values = [batch, tab, identity, key, column, textOf(before), textOf(after)];
    store.run(
      "insert into step (batch, tab, identity, key, column_name, before, after, undone) values (?,?,?,?,?,?,?,0)",
      ...values,
    );
  }
}

function textOf(correction: Correction | undefined): string | null {
  return correction === undefined ? null : JSON.stringify(correction);
}

/** Returns the correction of a stored step before or after the edit; undefined if there was none. */
export function correctionIn(step: Found, name: "before" | "after"): Correction | undefined {
  const text = step[name];
  return typeof text === "string" ? JSON.parse(text) : undefined;
}

/** Yields the steps of an edit that have not been reverted, newest first, in groups of at most `size` steps. */
export function* stepsOf(store: SessionStore, { batch, tab }: Edit, size: number): Generator<readonly Found[]> {
  for (let last = Number.MAX_SAFE_INTEGER; ;) {
    const sql = "select * from step where batch = ? and tab = ? and undone = 0 and id < ? order by id desc limit ?";
    const steps = store.all(sql, batch, tab, last, size);
    if (steps.length === 0) return;
    yield steps;
    last = Number(steps.at(-1)?.["id"]);
  }
}

/** Counts the steps of an edit that have not been reverted. */
export function countSteps(store: SessionStore, { batch, tab }: Edit): number {
  const sql = "select count(*) as count from step where batch = ? and tab = ? and undone = 0";
  return Number(store.one(sql, batch, tab)?.["count"] ?? 0);
}

/** Removes the steps of an edit whose cells have changed since the edit. */
export function forgetChangedSteps(store: SessionStore, { batch, tab }: Edit): void {
  const sql = `delete from step where batch = ? and tab = ?
    and after is not (select body from correction where correction.identity = step.identity)`;
  store.run(sql, batch, tab);
}

export function noteReverted(steps: readonly Found[], store: SessionStore): void {
  store.transaction(() => {
    for (const { id } of steps) store.run("update step set undone = 1 where id = ?", Number(id));
  });
}

/** Returns the number of the tab's last edit that has not been reverted; undefined if there is none. */
export function lastBatch(tab: string, store: SessionStore): number | undefined {
  const sql = "select batch from step where tab = ? and undone = 0 order by batch desc limit 1";
  const last = store.one(sql, tab)?.["batch"];
  return typeof last === "number" ? last : undefined;
}
