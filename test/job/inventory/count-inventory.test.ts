import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import { compareInventory } from "../../../src/job/inventory/compare-inventory.ts";
import { countInventory, updateCounts } from "../../../src/job/inventory/count-inventory.ts";
import type { InventoryState } from "../../../src/job/inventory/inventory-state.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import { item, planned, POLICY, PUSH } from "../../ledger/ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const TOMORROW = Date.now() + 86_400_000;
const key = fc.constantFrom("A", "B", "C", "D", "E");
const identityOf = (of: string): Uint8Array => recordIdentity({ ...PUSH, key: of });

const change = fc.record({
  does: fc.constantFrom("push", "push elsewhere", "plan", "finish plan", "update", "write", "exclude", "include"),
  keys: fc.uniqueArray(key, { minLength: 1 }),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns a ledger, an inventory file, and both ways to count the keys of the file. */
async function startCounting() {
  const folder = temporaryFolder({ "keys.txt": "" });
  const store = await openLedgerStore(join(folder, "ledger.db"));
  const ledger = await store.write("push", { create: true });
  const options = { inventory: join(folder, "keys.txt"), temporaryFolder: folder };
  let readings = 0;
  let seconds = TOMORROW / 1000 - 86_400 * 2;
  const nextTime = (): string => {
    seconds += 1;
    return new Date(seconds * 1000).toISOString();
  };
  const counting: Ledger = {
    ...ledger,
    plannedKeys: (...given) => {
      readings += 1;
      return ledger.plannedKeys(...given);
    },
  };
  return {
    folder,
    ledger,
    store,
    /** Ids of pushes whose input was not read to the end. */
    unfinished: new Array<string>(),
    /** Returns the name of the file with the stored counts, or undefined if there is none. */
    stored: (): string | undefined => readdirSync(folder).find((name) => name.startsWith("inventory-")),
    /** Returns a later time at each call. */
    nextTime,
    /** Returns the number of times that keys of pushes were read. */
    readings: () => readings,
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
  const { ledger, store, nextTime, unfinished } = counting;
  const [first = ""] = keys;
  const items = keys.map((each, index) => item(index + 1, each, "same", { status: index === 1 ? "invalid" : "valid" }));
  if (does === "write") counting.write(keys);
  else if (does === "update") await updateCounts(store, ledger);
  else if (does === "include") await ledger.endExclusions([identityOf(first)], { at: nextTime(), who: "root" });
  else if (does === "exclude") {
    await ledger.excludeRecords([
      { identity: identityOf(first), key: first, at: nextTime(), who: "root", reason: "test" },
    ]);
  } else if (does === "plan") {
    const { id } = await ledger.startRun(PUSH);
    await ledger.plan(id, packItems(items));
    unfinished.push(id);
  } else if (does === "finish plan") {
    const id = unfinished.pop();
    if (id !== undefined) await ledger.finishPlan(id, POLICY);
  } else {
    const elsewhere = { target: "other.example", endpoint: "/öther" };
    const others = keys.map((each, index) =>
      item(index + 1, each, "same", { identity: recordIdentity({ ...PUSH, ...elsewhere, key: each }) }),
    );
    await (does === "push" ? planned(ledger, items) : planned(ledger, others, { run: elsewhere }));
  }
}

test("stored counts match the counts of a comparison after any pushes, exclusions and changes to the file", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const counting = await startCounting();
      for (const made of changes) {
        await apply(counting, made);
        // Several pushes may follow one another without a count in between.
        const counts = made.does === "push" ? [] : [await counting.count(), await counting.compare()];
        expect(counts[0]).toEqual(counts[1]);
      }
      await counting.ledger.close();
    }),
    { numRuns: 15 },
  );
});

test("the same inventory and the same pushes are compared only once", async () => {
  const counting = await startCounting();
  await planned(counting.ledger, [item(1, "A")]);
  counting.write(["A", "B"]);
  const first = await counting.count();
  expect(first).toMatchObject([{ expected: 2, seen: 1, missing: 1 }]);
  const readings = counting.readings();
  expect(await counting.count()).toEqual(first);
  expect(counting.readings()).toBe(readings);
  expect(readFileSync(join(counting.folder, counting.stored() ?? ""), "utf8")).not.toContain('"B"');
  await counting.ledger.close();
});

test("the counts of a file that has just changed are not stored", async () => {
  const counting = await startCounting();
  await planned(counting.ledger, [item(1, "A")]);
  counting.write(["A"]);
  await counting.count(Date.now());
  expect(counting.stored()).toBeUndefined();
  await counting.ledger.close();
});

test("only the keys of pushes that have not been counted are read, and the end of a push counts its keys", async () => {
  const counting = await startCounting();
  const { ledger, store } = counting;
  await planned(ledger, [item(1, "A")]);
  counting.write(["A", "B", "C", "D"]);
  await counting.count();
  const readings = counting.readings();
  await planned(ledger, [item(1, "A"), item(2, "B", "same", { status: "invalid" }), item(3, "Z")]);
  expect(await counting.count()).toMatchObject([{ expected: 4, seen: 2, missing: 2 }]);
  await planned(ledger, [item(1, "D")]);
  await updateCounts(store, ledger);
  const before = readFileSync(join(counting.folder, counting.stored() ?? ""));
  expect(await counting.count()).toMatchObject([{ expected: 4, seen: 3, missing: 1 }]);
  expect(readFileSync(join(counting.folder, counting.stored() ?? ""))).toEqual(before);
  expect(counting.readings()).toBe(readings + 1);
  await ledger.close();
});

test.each(["", "a", "ab", "abc", "é", "aé", "abé", "日本"])(
  "the counts for supplier %j are stored and read back",
  async (supplier) => {
    const counting = await startCounting();
    const identity = recordIdentity({ ...PUSH, supplier, key: "A" });
    await planned(counting.ledger, [item(1, "A", "same", { identity })], { run: { supplier } });
    counting.write(["A", "B", "C"]);
    const first = await counting.count();
    expect(first).toMatchObject([{ expected: 3, seen: 1, missing: 2 }]);
    const readings = counting.readings();
    expect(await counting.count()).toEqual(first);
    expect(counting.readings()).toBe(readings);
    await counting.ledger.close();
  },
);

test("the inventory is compared again if the ledger was replaced with an older copy", async () => {
  const counting = await startCounting();
  await planned(counting.ledger, [item(1, "A")]);
  counting.write(["A", "B"]);
  await counting.count();
  const file = join(counting.folder, counting.stored() ?? "");
  const [header = ""] = readFileSync(file, "latin1").split("\n");
  const { runs, ...rest }: { readonly runs: readonly string[] } = JSON.parse(header);
  // The counts include a later push with the key B, which this copy of the ledger lacks.
  writeFileSync(file, `${JSON.stringify({ ...rest, runs: [...runs, "20260101-0000-abcd"] })}\n`);
  expect(await counting.count()).toMatchObject([{ expected: 2, seen: 1, missing: 1 }]);
  await counting.ledger.close();
});

test.each(["", "{", '{"order":"LE"}\n', "cut off by 1", "cut off by 8", "zeros at its end"])(
  "an unreadable counts file (%j) is replaced",
  async (text) => {
    const counting = await startCounting();
    await planned(counting.ledger, [item(1, "A")]);
    counting.write(["A", "B"]);
    await counting.count();
    const file = join(counting.folder, counting.stored() ?? "");
    const whole = readFileSync(file);
    const corrupt: Record<string, Uint8Array> = {
      "cut off by 1": whole.subarray(0, -1),
      "cut off by 8": whole.subarray(0, -8),
      "zeros at its end": Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8)]),
    };
    writeFileSync(file, corrupt[text] ?? text);
    const readings = counting.readings();
    expect(await counting.count()).toMatchObject([{ expected: 2, seen: 1, missing: 1 }]);
    expect(counting.readings()).toBe(readings + 1);
    expect(readFileSync(file)).toEqual(whole);
    await counting.ledger.close();
  },
);
