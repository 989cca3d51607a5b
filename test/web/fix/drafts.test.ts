import { expect, test } from "vitest";
import { createDrafts } from "../../../src/web/client/pages/fix/drafts.ts";

test("a draft keeps the number of the last change that the tab had received when the user started to type", () => {
  let seen = 3;
  const drafts = createDrafts(
    () => seen,
    () => undefined,
  );
  const draft = drafts.start();
  seen = 4;
  expect([draft.seen, drafts.start().seen]).toEqual([3, 4]);
});

test("a session that has ended stays on the page until the last draft ends", () => {
  let left = 0;
  const drafts = createDrafts(
    () => 0,
    () => (left += 1),
  );
  const [typed, saving] = [drafts.start(), drafts.start()];
  drafts.leave();
  typed.end();
  typed.end();
  expect(left).toBe(0);
  saving.end();
  expect(left).toBe(1);
  drafts.leave();
  expect(left).toBe(2);
});

test("the end of a draft does not leave a session that has not ended", () => {
  let left = 0;
  const drafts = createDrafts(
    () => 0,
    () => (left += 1),
  );
  drafts.start().end();
  expect(left).toBe(0);
});
