import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { checkLedger } from "../../../src/ledger/sqlite/integrity/ledger-check.ts";
import { repairLedger } from "../../../src/ledger/sqlite/integrity/ledger-repair.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import type { LocalProblem } from "../../../src/model/problem.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { attemptOutcomeOf, intendAll, item, planned, POLICY, PUSH, REFUSED, sendAll } from "../ledger-input.ts";

const newPath = (): string => join(temporaryFolder(), "ledger.db");
const findingsOf = (path: string): readonly string[] => checkLedger(path, () => false).findings;
const coverageOf = async (ledger: Ledger): Promise<readonly number[][]> =>
  (await ledger.coverage()).map(({ records, accepted }) => [records, accepted]);

const missing: LocalProblem = { attr: "name", severity: "error", by: "local", code: "required" };
const [first, second, third] = [1, 2, 3].map((record) => item(record, `K${record}`));
const invalid = (record: number): ReturnType<typeof item> =>
  item(record, `K${record}`, "bad", { status: "invalid", problems: [missing, { ...missing, unlisted: 4 }] });

test("the counts of a run follow its problems: of the plan, of an attempt, and of the attempt after it", async () => {
  const path = newPath();
  const ledger = await openLedger({ path });
  const run = await planned(ledger, [item(1, "K1"), invalid(2)]);
  expect(await ledger.summary(run)).toMatchObject({ counts: { pending: 1, invalid: 1 }, errors: { required: 6 } });
  const [intent] = await intendAll(ledger, run);
  if (intent === undefined) throw new Error("Nothing to send.");
  await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "blocked", { problems: [REFUSED, REFUSED] })]);
  expect((await ledger.summary(run)).errors).toEqual({ required: 6, invalid_phone_number: 2 });
  await ledger.resumeRun(run, POLICY);
  await sendAll(ledger, run, "rejected", { problems: [REFUSED] });
  expect((await ledger.summary(run)).errors).toEqual({ required: 6, invalid_phone_number: 1 });
  expect((await ledger.history()).requests).toBe(2);
  await ledger.close();
  expect(findingsOf(path)).toEqual([]);
});

test("a record that several plans held counts once, and is accepted once, however often it was sent", async () => {
  const path = newPath();
  const ledger = await openLedger({ path });
  const run = await planned(ledger, [item(1, "K1"), invalid(2), item(3, "K3", "same"), item(4, "K3", "same")]);
  await sendAll(ledger, run, "accepted");
  expect(await coverageOf(ledger)).toEqual([[3, 2]]);
  const corrected = await planned(ledger, [item(1, "K2", "good"), invalid(5)]);
  await sendAll(ledger, corrected, "accepted");
  expect(await coverageOf(ledger)).toEqual([[4, 3]]);
  const revised = await planned(ledger, [item(1, "K1", "new"), invalid(2)], { policy: { revise: true } });
  await sendAll(ledger, revised, "accepted");
  expect(await coverageOf(ledger)).toEqual([[4, 3]]);
  await ledger.close();
  expect(findingsOf(path)).toEqual([]);
});

test("a plan that was begun anew, and one that is still open, count nothing twice", async () => {
  const path = newPath();
  const ledger = await openLedger({ path });
  await planned(ledger, [item(1, "K1")]);
  const { id } = await ledger.startRun(PUSH);
  await ledger.plan(id, [invalid(1), item(2, "K2")]);
  await ledger.restartPlan(id);
  await ledger.plan(id, [item(1, "K1")]);
  expect((await ledger.summary(id)).counts).toEqual({ pending: 1 });
  expect(await coverageOf(ledger)).toEqual([[1, 0]]);
  await ledger.close();
  expect(findingsOf(path)).toEqual([]);
});

test("what was decided by hand counts as it was decided", async () => {
  const path = newPath();
  const ledger = await openLedger({ path });
  const run = await planned(
    ledger,
    [first, second, third].filter((one) => one !== undefined),
  );
  await sendAll(ledger, run, "ambiguous");
  const decide = (record: number, decision: "accepted" | "rejected" | "resend") =>
    ledger.ambiguous(run, record, record).then(([found]) => {
      if (found === undefined) throw new Error("It is not ambiguous.");
      const made = { record, identity: found.identity, decision, by: "operator", who: "me", reason: "seen" } as const;
      return ledger.saveDecisions(run, [{ ...made, at: "2026-11-21T10:00:00.000Z" }], POLICY);
    });
  await decide(1, "accepted");
  await decide(2, "rejected");
  await decide(3, "resend");
  expect((await ledger.summary(run)).counts).toEqual({ accepted: 1, rejected: 1, pending: 1 });
  expect(await coverageOf(ledger)).toEqual([[3, 1]]);
  await ledger.close();
  expect(findingsOf(path)).toEqual([]);
});

test.each(["format-1.sql", "format-4.sql"])("a ledger of an earlier version is counted once: %s", async (name) => {
  const path = newPath();
  const old = new DatabaseSync(path);
  old.exec(readFileSync(new URL(name, import.meta.url), "utf8"));
  old.close();
  const ledger = await openLedger({ path });
  const [run] = await ledger.runs();
  const { records, counts } = await ledger.summary(run?.id ?? "");
  expect(records).toBeGreaterThan(0);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(records);
  await ledger.close();
  expect(findingsOf(path)).toEqual([]);
});

test.each([
  "update counts set count = count + 1 where kind = 'status'",
  "delete from counts where kind = 'requests'",
  "insert into counts values (1, 'error', 'invented', 1)",
  "update coverage set accepted = 0",
])("counts that are wrong are found, and a repair counts anew: %s", async (sql) => {
  const path = newPath();
  const ledger = await openLedger({ path });
  await sendAll(ledger, await planned(ledger, [item(1, "K1"), invalid(2)]), "accepted");
  await ledger.close();
  const direct = new DatabaseSync(path);
  direct.exec(sql);
  direct.close();
  rmSync(`${path}-seal`);
  expect(findingsOf(path)).toEqual([expect.stringContaining("counts")]);
  repairLedger(path, "test");
  expect(findingsOf(path)).toEqual([]);
});
