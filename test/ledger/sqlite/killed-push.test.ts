import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { campaignSize } from "../../campaign.ts";
import { ended, firstLine, useLedgerProcess } from "../ledger-processes.ts";
import { item, outcomesOf, planned } from "../ledger-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const { start } = useLedgerProcess();
const RECORDS = 10_000;
const KILLS = campaignSize({ part: 8, whole: 10 });
const GROUP = 16;

test("a push killed at any moment loses nothing, sends nothing twice, and reports unknown results", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "ledger.db");
  const received = join(folder, "received");
  const first = await openLedger({ path });
  const run = await planned(
    first,
    Array.from({ length: RECORDS }, (_, index) => item(index + 1, `K${index}`)),
  );
  await first.close();

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const child = start("push", path, run, received);
    expect(await firstLine(child)).toBe("pushing");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    child.kill("SIGKILL");
    await ended(child);

    const ledger = await openLedger({ path });
    const summary = await ledger.summary(run);
    expect(summary.records).toBe(RECORDS);
    expect(summary.counts.ambiguous ?? 0).toBeLessThanOrEqual(GROUP * kill);
    const settled = await outcomesOf(ledger, run, { statuses: ["accepted", "ambiguous"] });
    const known = new Set(settled.map(({ record }) => record));
    const sent = existsSync(received) ? readFileSync(received, "utf8").split("\n").slice(0, -1).map(Number) : [];
    expect(sent).not.toEqual([]);
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent.filter((record) => !known.has(record))).toEqual([]);
    const accepted = settled.filter(({ status }) => status === "accepted").map(({ record }) => record);
    const arrived = new Set(sent);
    expect(accepted.filter((record) => !arrived.has(record))).toEqual([]);
    await ledger.close();
  }

  await ended(start("push", path, run, received));
  const ledger = await openLedger({ path });
  const { counts } = await ledger.summary(run);
  expect((counts.accepted ?? 0) + (counts.ambiguous ?? 0)).toBe(RECORDS);
  await ledger.close();
});
