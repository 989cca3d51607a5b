import fc from "fast-check";
import { expect, test } from "vitest";
import { type CellMemory, createCellMemory, SLOTS } from "../../../src/pipeline/bytes/cell-memory.ts";

/** Looks up a cell, and stores it if it is missing. Returns whether it was found. */
function look(memory: CellMemory, cell: string): boolean {
  const bytes = Buffer.from(cell);
  const slot = memory.find(bytes, 0, bytes.length);
  if (slot < 0) memory.keep(1);
  return slot >= 0 && memory.valueCountAt(slot) === 1;
}

test("a stored cell is found again, but a cell of 32 bytes or more is not stored", () => {
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

/** Length of the longest cell that is stored, in bytes. */
const LONGEST = 31;

test("the cache finds any stored cell at any position, together with its number of values", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: LONGEST }), fc.nat(5), fc.nat(255), (cell, before, valueCount) => {
      const memory = createCellMemory();
      expect(memory.find(cell, 0, cell.length)).toBe(-1);
      const slot = memory.keep(valueCount);
      expect(slot).toBeGreaterThanOrEqual(0);
      expect(slot).toBeLessThan(SLOTS);
      const elsewhere = Uint8Array.of(...Array.from({ length: before }, () => 7), ...cell, 7);
      expect(memory.find(elsewhere, before, before + cell.length)).toBe(slot);
      expect(memory.valueCountAt(slot)).toBe(valueCount);
    }),
  );
});

test("the cache never mistakes one cell for another, for any stored cells", () => {
  const cells = fc.array(fc.uint8Array({ maxLength: LONGEST + 3 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(cells, (given) => {
      const memory = createCellMemory();
      const stored = new Map<number, string>();
      for (const cell of given) {
        const text = cell.join(" ");
        const found = memory.find(cell, 0, cell.length);
        expect(found < 0 || stored.get(found) === text).toBe(true);
        if (found < 0) stored.set(memory.keep(1), text);
      }
    }),
  );
});

test("the cache distinguishes cells that differ in one byte, or in length", () => {
  const memory = createCellMemory();
  const found = (text: string): boolean => memory.find(Buffer.from(text), 0, text.length) >= 0;
  expect(found("A12")).toBe(false);
  memory.keep(1);
  expect(["A12", "A13", "B12", "A1", "A123", ""].map(found)).toEqual([true, false, false, false, false, false]);
});

test.each([
  ["stays in use if one cell in eight", SLOTS / 8, true],
  ["switches itself off if less than one cell in eight", SLOTS / 8 - 1, false],
])("the cache %s is found again", (_name, found, isUsed) => {
  const memory = createCellMemory();
  for (let row = 0; row < SLOTS; row += 1) look(memory, row <= found ? "again and again" : `cell ${row}`);
  look(memory, "again");
  expect(look(memory, "again")).toBe(isUsed);
});

test("a cell in the first slot is found again, like a cell in any other slot", () => {
  const memory = createCellMemory();
  const cells = Array.from({ length: 5 * SLOTS }, (_, number) => Buffer.from(`cell ${number}`));
  const found = new Set<number>();
  for (const cell of cells) {
    memory.find(cell, 0, cell.length);
    const slot = memory.keep(1);
    if (memory.find(cell, 0, cell.length) === slot) found.add(slot);
  }
  expect([Math.min(...found), Math.max(...found)]).toEqual([0, SLOTS - 1]);
});
