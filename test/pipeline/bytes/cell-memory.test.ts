import { expect, test } from "vitest";
import { type CellMemory, createCellMemory, SLOTS } from "../../../src/pipeline/bytes/cell-memory.ts";

/** Looks up a cell, and stores it if it is missing. Returns whether it was found. */
function look(memory: CellMemory, cell: string): boolean {
  const bytes = Buffer.from(cell);
  const slot = memory.find(bytes, 0, bytes.length);
  if (slot < 0) memory.keep(1);
  return slot >= 0 && memory.valueCountAt(slot) === 1;
}

test("a cell is found again, and a cell of 32 bytes or more is not stored", () => {
  const memory = createCellMemory();
  expect(["A", "A", "", "", "x".repeat(31), "x".repeat(31)].map((cell) => look(memory, cell))).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
  expect(["x".repeat(32), "x".repeat(32)].map((cell) => look(memory, cell))).toEqual([false, false]);
});

test.each([
  ["stays in use for a column whose cells repeat", 1_000, true],
  ["switches itself off for a column whose cells are unique", SLOTS, false],
])("the cache %s", (_name, different, isUsed) => {
  const memory = createCellMemory();
  for (let row = 0; row < SLOTS; row += 1) look(memory, `cell ${row % different}`);
  look(memory, "again");
  expect(look(memory, "again")).toBe(isUsed);
});
