import { DatabaseSync } from "@photostructure/sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import type { Ledger, PlannedItem } from "../../../src/ledger/ledger.ts";
import { checkLedger } from "../../../src/ledger/sqlite/integrity/ledger-check.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { item, planned, PUSH, sendAll, statusesOf } from "../ledger-input.ts";

const ONE = "POST platform.example/one/v1/accounts";
const TWO = "POST platform.example/two/v1/accounts";

let path: string;
let ledger: Ledger;
beforeEach(async () => {
  path = join(temporaryFolder(), "ledger.db");
  ledger = await openLedger({ path });
  onTestFinished(() => ledger.close());
});

/** @param identifiedBy the endpoint, or the operation's id as in earlier versions */
function itemsOf(keys: string, identifiedBy: string): readonly PlannedItem[] {
  return Array.from(keys, (key, index) => {
    const identity = recordIdentity({ endpoint: identifiedBy, supplier: PUSH.supplier, key });
    return item(index + 1, key, "same", { identity });
  });
}

function earlierRun(keys: string, operation: string): Promise<string> {
  return planned(ledger, itemsOf(keys, operation), { run: { operation } });
}

/** As earlier versions left the ledger: no run has an endpoint. */
async function forgetEndpoints(): Promise<void> {
  await ledger.close();
  const database = new DatabaseSync(path);
  database.exec("update runs set endpoint = null");
  database.close();
  rmSync(`${path}-seal`);
  ledger = await openLedger({ path });
}

async function planAt(endpoint: string, keys: string): Promise<readonly string[]> {
  return statusesOf(ledger, await planned(ledger, itemsOf(keys, endpoint), { run: { endpoint } }));
}

async function findings(): Promise<readonly string[]> {
  await ledger.close();
  const found = checkLedger(path, () => false).findings;
  ledger = await openLedger({ path });
  return found;
}

test("a record that two instances of a host shared belongs to the one that it was sent to", async () => {
  const first = await earlierRun("AB", "import");
  await sendAll(ledger, first, "accepted");
  const second = await earlierRun("ABC", "import");
  await sendAll(ledger, second, "accepted");
  await forgetEndpoints();
  await ledger.setEndpoints(
    new Map([
      [first, ONE],
      [second, TWO],
    ]),
  );
  expect(await findings()).toEqual([]);
  expect(await planAt(ONE, "ABC")).toEqual(["skipped", "skipped", "pending"]);
  expect(await planAt(TWO, "ABC")).toEqual(["pending", "pending", "skipped"]);
});

test("of one record under two operation ids the state stays that says most of it", async () => {
  const first = await earlierRun("ABC", "import");
  await sendAll(ledger, first, "accepted");
  const second = await earlierRun("ADE", "createAccount");
  await sendAll(ledger, second, "ambiguous");
  const third = await earlierRun("BF", "create");
  await forgetEndpoints();
  await ledger.setEndpoints(new Map([first, second, third].map((run) => [run, ONE])));
  expect(await findings()).toEqual([]);
  expect(await planAt(ONE, "ABCDEF")).toEqual(["skipped", "skipped", "skipped", "ambiguous", "ambiguous", "pending"]);
});

test("runs that have an endpoint keep it", async () => {
  const run = await planned(ledger, itemsOf("A", ONE), { run: { endpoint: ONE } });
  await sendAll(ledger, run, "accepted");
  await ledger.setEndpoints(new Map([[run, TWO]]));
  expect(await ledger.findRun(run)).toMatchObject({ endpoint: ONE });
  expect(await planAt(ONE, "A")).toEqual(["skipped"]);
});
