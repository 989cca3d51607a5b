import path from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { requireSameDestination } from "../../src/pipeline/run/same-destination.ts";
import { item, planned, PUSH, sendAll } from "../ledger/ledger-input.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const HERE = { host: PUSH.target, supplier: PUSH.supplier };
const ELSEWHERE = { host: "production.example/v1/", supplier: PUSH.supplier };

let ledger: Ledger;
beforeEach(async () => {
  ledger = await openLedger({ path: path.join(temporaryFolder(), "ledger.db"), create: true });
  onTestFinished(() => ledger.close());
});

const ask = (recipient: typeof HERE): Promise<void> => requireSameDestination(ledger, "ledger.db", recipient);

it("a new ledger has no destination, nor has a ledger whose runs sent nothing", async () => {
  await expect(ask(HERE)).resolves.toBeUndefined();
  await planned(ledger, [item(1, "A")]);
  await planned(ledger, [item(1, "A")], { run: { dryRun: true } });
  await expect(ask(ELSEWHERE)).resolves.toBeUndefined();
});

it("a ledger has no destination if its only records wait for other records", async () => {
  const policy = { after: "import-account" };
  const run = await planned(ledger, [item(1, "A", "same", { awaits: Buffer.alloc(32) })], { policy });
  expect((await ledger.summary(run)).counts).toEqual({ blocked: 1 });
  await expect(ask(ELSEWHERE)).resolves.toBeUndefined();
});

it("a ledger has a destination if the platform blocked its only record", async () => {
  await sendAll(ledger, await planned(ledger, [item(1, "A")]), "blocked");
  await expect(ask(ELSEWHERE)).rejects.toMatchObject({ code: "wrong_target" });
});

it.each([
  ["another host", ELSEWHERE, `belongs to ${PUSH.target}, but this run is for ${ELSEWHERE.host}`],
  ["another supplier", { ...HERE, supplier: "OTHER" }, "belongs to supplier ACME, but this run is for supplier OTHER"],
])("for %s, refuses a ledger that contains sent records", async (_, recipient, message) => {
  await sendAll(ledger, await planned(ledger, [item(1, "A"), item(2, "B")]), "accepted");
  await expect(ask(HERE)).resolves.toBeUndefined();
  await expect(ask(recipient)).rejects.toMatchObject({
    code: "wrong_target",
    exitCode: 2,
    message: expect.stringContaining(message),
    hint: expect.stringContaining("--ledger"),
  });
});
