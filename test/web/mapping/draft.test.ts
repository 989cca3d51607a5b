import { expect, test } from "vitest";
import {
  afterSave,
  type Draft,
  isChanged,
  newDraft,
  undone,
  unsavedEdits,
  withEdit,
} from "../../../src/web/client/pages/mapping/draft.ts";
import type { MappingEdit } from "../../../src/web/mapping/mapping-data.ts";

const [FIRST, SECOND]: readonly [MappingEdit, MappingEdit] = [
  { kind: "disconnect", path: ["payload", "first"] },
  { kind: "disconnect", path: ["payload", "second"] },
];

const start = newDraft("0", { saved: { text: "0", hash: "h0" } });

function savedChange(): Draft {
  return afterSave(withEdit(start, FIRST, "1"), "h1");
}

test("a saved draft has no unsaved changes, and later changes are counted from the save", () => {
  const draft = savedChange();
  expect(isChanged(draft)).toBe(false);
  expect(unsavedEdits(draft)).toEqual([]);
  expect(unsavedEdits(withEdit(draft, SECOND, "2"))).toEqual([SECOND]);
});

test("the undo of a saved change is unsaved, but cannot be expressed as edits", () => {
  const draft = undone(savedChange());
  expect(draft.text).toBe("0");
  expect(isChanged(draft)).toBe(true);
  expect(unsavedEdits(draft)).toBeUndefined();
  expect(unsavedEdits(withEdit(draft, SECOND, "3"))).toBeUndefined();
  expect(unsavedEdits(afterSave(draft, "h2"))).toEqual([]);
});

test("an undone unsaved change is no longer among the unsaved changes", () => {
  const draft = withEdit(withEdit(start, FIRST, "1"), SECOND, "2");
  expect(unsavedEdits(draft)).toEqual([FIRST, SECOND]);
  expect(unsavedEdits(undone(draft))).toEqual([FIRST]);
  expect(unsavedEdits(undone(undone(draft)))).toEqual([]);
});

test("one undo reverts all changes that were applied to a new version", () => {
  const steps = [{ before: "other", edits: [FIRST, SECOND] }];
  const draft: Draft = { text: "both", saved: { text: "other", hash: "h3" }, steps };
  expect(unsavedEdits(draft)).toEqual([FIRST, SECOND]);
  expect(undone(draft).text).toBe("other");
  expect(unsavedEdits(undone(draft))).toEqual([]);
});

test("all changes to a first mapping are unsaved", () => {
  expect(unsavedEdits(withEdit(newDraft("guess", {}), FIRST, "1"))).toEqual([FIRST]);
});
