import type { Correction } from "../../read/corrections/correction.ts";
import type { Found, SessionStore } from "./session-store.ts";

/** One changed cell, for undo. */
export interface Step {
  readonly identity: string;
  readonly before: Correction | undefined;
  readonly after: Correction | undefined;
}

/** The number of the next edit. */
export function nextBatch(store: SessionStore): number {
  return Number(store.one("select coalesce(max(batch), 0) + 1 as next from step")?.["next"] ?? 1);
}

/** Stores the changed cells of an edit, so that they can be reverted. */
export function noteSteps(steps: readonly Step[], { batch, tab }: Omit<StepFilter, "size">, store: SessionStore): void {
  store.transaction(() => {
    for (const { identity, before, after } of steps) {
      const { source = "", key = "", column = "" } = after ?? before ?? {};
      store.run(
        "insert into step (batch, tab, identity, source, key, column_name, before, after, undone) values (?,?,?,?,?,?,?,?,0)",
        batch,
        tab,
        identity,
        source,
        key,
        column,
        textOf(before),
        textOf(after),
      );
    }
  });
}

function textOf(correction: Correction | undefined): string | null {
  return correction === undefined ? null : JSON.stringify(correction);
}

/** The correction of a stored step before or after the edit; undefined if there was none. */
export function correctionIn(step: Found, name: "before" | "after"): Correction | undefined {
  const text = step[name];
  return typeof text === "string" ? JSON.parse(text) : undefined;
}

interface StepFilter {
  readonly batch: number;
  readonly tab: string;
  /** Maximum number of steps in a group. */
  readonly size: number;
}

/**
 * The steps of an edit that are not reverted, last first, in groups. Call `noteReverted` with each group before the next
 * one is read.
 */
export function* stepsOf(store: SessionStore, { batch, tab, size }: StepFilter): Generator<readonly Found[]> {
  for (;;) {
    const sql = "select * from step where batch = ? and tab = ? and undone = 0 order by id desc limit ?";
    const steps = store.all(sql, batch, tab, size);
    if (steps.length === 0) return;
    yield steps;
  }
}

export function noteReverted(steps: readonly Found[], store: SessionStore): void {
  for (const { id } of steps) store.run("update step set undone = 1 where id = ?", Number(id));
}

/** The last edit of a tab that is not reverted; undefined if there is none. */
export function lastBatch(tab: string, store: SessionStore): number | undefined {
  const last = store.one("select max(batch) as batch from step where tab = ? and undone = 0", tab)?.["batch"];
  return typeof last === "number" ? last : undefined;
}
