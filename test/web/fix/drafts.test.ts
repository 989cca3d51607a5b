import { expect, test } from "vitest";
import { createDrafts } from "../../../src/web/client/pages/fix/drafts.ts";

test("a draft keeps the number of the last change that the tab had received when the user started to type", () => {
  let seen = 3;
  const drafts = createDrafts(() => seen);
  const draft = drafts.start();
  seen = 4;
  expect([draft.seen, drafts.start().seen]).toEqual([3, 4]);
});

test("a session is left when the last draft ends", () => {
  let left = 0;
  const leave = (): void => void (left += 1);
  const drafts = createDrafts(() => 0);
  const [typed, saving] = [drafts.start(), drafts.start()];
  drafts.leave(leave);
  typed.end();
  typed.end();
  expect([left, drafts.isOpen()]).toEqual([0, true]);
  saving.end();
  expect([left, drafts.isOpen()]).toEqual([1, false]);
  drafts.leave(leave);
  expect(left).toBe(2);
});

test("the end of a draft does not leave a session that has not ended", () => {
  let left = 0;
  const drafts = createDrafts(() => 0);
  const draft = drafts.start();
  drafts.leave(() => (left += 1));
  draft.end();
  drafts.start().end();
  expect(left).toBe(1);
});
