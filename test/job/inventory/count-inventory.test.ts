import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type InventoryState, compareInventory, countInventory } from "../../../src/job/inventory/compare-inventory.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import { item, planned, PUSH } from "../../ledger/ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const TOMORROW = Date.now() + 86_400_000;
const key = fc.constantFrom("A", "B", "C", "D", "E");
const identityOf = (of: string): Uint8Array => recordIdentity({ ...PUSH, key: of });

const change = fc.record({
  does: fc.constantFrom("push", "write", "exclude", "include"),
  keys: fc.uniqueArray(key, { minLength: 1 }),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** A ledger, an inventory file, and both ways to count its keys. */
async function startCounting() {
  const folder = temporaryFolder({ "keys.txt": "" });
  const store = await openLedgerStore(join(folder, "ledger.db"));
  const ledger = await store.write("push", { create: true });
  const options = { inventory: join(folder, "keys.txt"), temporaryFolder: folder };
  let lookups = 0;
  let seconds = TOMORROW / 1000 - 86_400 * 2;
  const nextTime = (): string => {
    seconds += 1;
    return new Date(seconds * 1000).toISOString();
  };
  const counting: Pick<Ledger, "exclusions" | "unseenKeys"> = {
    exclusions: () => ledger.exclusions(),
    unseenKeys: (...given) => {
      lookups += 1;
      return ledger.unseenKeys(...given);
    },
  };
  return {
    folder,
    ledger,
    /** No two calls of one ledger give the same time. */
    nextTime,
    lookups: () => lookups,
    write(keys: readonly string[]) {
      writeFileSync(options.inventory, keys.map((each) => `${each}\n`).join(""));
      nextTime();
      utimesSync(options.inventory, seconds, seconds);
    },
    async count(now = TOMORROW): Promise<readonly InventoryState[]> {
      const migration = await ledger.migration();
      const clock = { now: () => now };
      return countInventory(options, { store, ledger: counting, runs: await ledger.runs(), migration, clock });
    },
    async compare(): Promise<readonly InventoryState[]> {
      return compareInventory(options, { ledger, migration: await ledger.migration() });
    },
  };
}

async function apply(counting: Awaited<ReturnType<typeof startCounting>>, { does, keys }: Change): Promise<void> {
  const { ledger, nextTime } = counting;
  const [first = ""] = keys;
  if (does === "write") counting.write(keys);
  else if (does === "include") await ledger.endExclusions([identityOf(first)], { at: nextTime(), who: "root" });
  else if (does === "exclude") {
    await ledger.excludeRecords([
      { identity: identityOf(first), key: first, at: nextTime(), who: "root", reason: "test" },
    ]);
  } else {
    const items = keys.map((each, index) => item(index + 1, each));
    await planned(ledger, items);
  }
}

test("stored counts equal the counts of a comparison after any pushes, exclusions and changes of the file", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
      const counting = await startCounting();
      for (const made of changes) {
        await apply(counting, made);
        expect(await counting.count()).toEqual(await counting.compare());
      }
      await counting.ledger.close();
    }),
    { numRuns: 10 },
  );
});

test("the same inventory and the same pushes are compared only once", async () => {
  const counting = await startCounting();
  await planned(counting.ledger, [item(1, "A")]);
  counting.write(["A", "B"]);
  const first = await counting.count();
  expect(first).toMatchObject([{ expected: 2, seen: 1, missing: 1 }]);
  const lookups = counting.lookups();
  expect(await counting.count()).toEqual(first);
  expect(counting.lookups()).toBe(lookups);
  expect(readFileSync(join(counting.folder, "inventory.json"), "utf8")).not.toContain('"B"');
  await counting.ledger.close();
});

test("the counts of a file that has just changed are not stored", async () => {
  const counting = await startCounting();
  await planned(counting.ledger, [item(1, "A")]);
  counting.write(["A"]);
  await counting.count(Date.now());
  expect(existsSync(join(counting.folder, "inventory.json"))).toBe(false);
  await counting.ledger.close();
});

test.each(["", "{", '{"version":2}'])("unreadable stored counts %j are replaced", async (text) => {
  const counting = await startCounting();
  await planned(counting.ledger, [item(1, "A")]);
  counting.write(["A", "B"]);
  writeFileSync(join(counting.folder, "inventory.json"), text);
  expect(await counting.count()).toMatchObject([{ expected: 2, seen: 1, missing: 1 }]);
  await counting.ledger.close();
});
