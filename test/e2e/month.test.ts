import { expect, test } from "vitest";
import { playMonth } from "./month.ts";

test("after a month of extracts, status, open, compare and the proof agree with the platform", async () => {
  const { said, shown } = await playMonth({ size: 160, seed: 7 });
  expect(said).toEqual(shown);
});
