import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import type { LocalProblem } from "../../../src/model/problem.ts";
import { attemptOutcomeOf, intendAll, item, planned, POLICY, PUSH, REFUSED, sendAll } from "../ledger-input.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_counts";
const MISCOUNT = expect.stringContaining("counts are not");

describe.skipIf(!POSTGRES_IS_HERE)(
  `what a ledger in PostgreSQL counts as it changes ${SKIPPED_WITHOUT_POSTGRES}`,
  () => {
    let server: PostgresCluster;
    let store: LedgerStore;
    let ledger: Ledger;
    beforeAll(async () => {
      server = await startPostgres();
      store = await openLedgerStore(await server.createDatabase(NAME));
    });
    beforeEach(async () => {
      await server.query("drop schema if exists migrate cascade", NAME);
      ledger = await store.write("push", { create: true });
    });
    afterAll(() => server.stop());

    /** Whatever was done, counting gives the same. */
    const closed = async (): Promise<readonly string[]> => {
      await ledger.close();
      return (await store.check()).findings;
    };
    const coverageOf = async (): Promise<readonly number[][]> =>
      (await ledger.coverage()).map(({ records, accepted }) => [records, accepted]);
    const countRows = async (): Promise<number> => {
      const [row] = await server.query("select count(*)::int as count from migrate.counts", NAME);
      return Number(row?.["count"]);
    };

    test("the problems of the plan, of an attempt, and of the attempt after it", async () => {
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
      expect(await closed()).toEqual([]);
    });

    test("a record that several plans held counts once, and is accepted once, however often it was sent", async () => {
      const run = await planned(ledger, [item(1, "K1"), invalid(2), item(3, "K3", "same"), item(4, "K3", "same")]);
      await sendAll(ledger, run, "accepted");
      expect(await coverageOf()).toEqual([[3, 2]]);
      const corrected = await planned(ledger, [item(1, "K2", "good"), invalid(5)]);
      await sendAll(ledger, corrected, "accepted");
      expect(await coverageOf()).toEqual([[4, 3]]);
      const revised = await planned(ledger, [item(1, "K1", "new"), invalid(2)], { policy: { revise: true } });
      await sendAll(ledger, revised, "accepted");
      expect(await coverageOf()).toEqual([[4, 3]]);
      expect(await closed()).toEqual([]);
    });

    test("a plan that was begun anew, and one that is still open, count nothing twice", async () => {
      await planned(ledger, [item(1, "K1")]);
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, [invalid(1), item(2, "K2")]);
      expect((await ledger.summary(id)).counts).toEqual({ invalid: 1, pending: 1 });
      await ledger.restartPlan(id);
      await ledger.plan(id, [item(1, "K1")]);
      expect(await ledger.summary(id)).toMatchObject({ counts: { pending: 1 }, errors: {} });
      expect(await coverageOf()).toEqual([[1, 0]]);
      expect(await closed()).toEqual([]);
    });

    test("what was decided by hand counts as it was decided", async () => {
      const run = await planned(ledger, [item(1, "K1"), item(2, "K2"), item(3, "K3")]);
      await sendAll(ledger, run, "ambiguous");
      for (const [index, decision] of (["accepted", "rejected", "resend"] as const).entries()) {
        const [found] = await ledger.ambiguous(run, index + 1, index + 1);
        if (found === undefined) throw new Error("It is not ambiguous.");
        const made = { record: index + 1, identity: found.identity, decision, by: "operator", who: "me" } as const;
        await ledger.saveDecisions(run, [{ ...made, reason: "seen", at: "2026-11-21T10:00:00.000Z" }], POLICY);
      }
      expect((await ledger.summary(run)).counts).toEqual({ accepted: 1, rejected: 1, pending: 1 });
      expect(await coverageOf()).toEqual([[3, 1]]);
      expect(await closed()).toEqual([]);
    });

    test("a record that is to be sent again after a request without an answer, of this run or of another, is ambiguous", async () => {
      const run = await planned(ledger, [item(1, "K1"), item(2, "K2")]);
      await sendAll(ledger, run, "ambiguous");
      const policy = { ...POLICY, resendAmbiguous: true };
      await ledger.resumeRun(run, policy);
      expect((await ledger.summary(run)).counts).toEqual({ ambiguous: 2 });
      const later = await planned(ledger, [item(1, "K1"), item(2, "K9")], { policy });
      expect((await ledger.summary(later)).counts).toEqual({ ambiguous: 1, pending: 1 });
      expect(await closed()).toEqual([]);
    });

    test("many changes leave few rows behind", async () => {
      const items = Array.from({ length: 60 }, (_, index) => item(index + 1, `K${index}`));
      const run = await planned(ledger, items);
      // Near the number at which they are folded.
      await server.query("select setval(pg_get_serial_sequence('migrate.counts', 'id'), 800)", NAME);
      for (const { record } of items) {
        const [found] = await ledger.sendable(run, record, record);
        if (found === undefined) throw new Error("Nothing to send.");
        const { identity, content, attempts } = found;
        const intent = { record, identity, content, attempt: attempts + 1, at: PUSH.startedAt };
        await ledger.saveIntents(run, [intent]);
        await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "accepted")]);
      }
      const [last] = await server.query("select max(id)::int as id from migrate.counts", NAME);
      expect(last?.["id"]).toBeGreaterThan(1_000);
      expect(await countRows()).toBeLessThan(200);
      expect((await ledger.summary(run)).counts).toEqual({ accepted: 60 });
      expect(await closed()).toEqual([]);
    });

    test("a ledger that was written without counts is counted when it is opened to write", async () => {
      const run = await planned(ledger, [item(1, "K1"), invalid(2), item(3, "K3")]);
      await sendAll(ledger, run, "accepted");
      const before = [await ledger.summary(run), await ledger.coverage(), await ledger.history()];
      await ledger.close();
      await server.query(WITHOUT_COUNTS, NAME);
      await expect(store.read()).rejects.toMatchObject({ message: expect.stringContaining("earlier version") });
      ledger = await store.write("push", { create: false });
      expect([await ledger.summary(run), await ledger.coverage(), await ledger.history()]).toEqual(before);
      await sendAll(ledger, await planned(ledger, [item(2, "K2", "good")]), "accepted");
      expect(await coverageOf()).toEqual([[3, 3]]);
      expect(await closed()).toEqual([]);
    });

    test.each([
      "update migrate.counts set count = count + 1 where kind = 'status'",
      "delete from migrate.counts where kind = 'requests'",
      "insert into migrate.counts (run, kind, name, count) values (1, 'error', 'invented', 1)",
      "update migrate.counts set count = 0 where kind = 'accepted'",
    ])("a count that is wrong is found: %s", async (sql) => {
      await sendAll(ledger, await planned(ledger, [item(1, "K1"), invalid(2)]), "accepted");
      await server.query(sql, NAME);
      expect(await closed()).toEqual([MISCOUNT]);
    });
  },
);

const missing: LocalProblem = { attr: "name", severity: "error", by: "local", code: "required" };

function invalid(record: number): ReturnType<typeof item> {
  return item(record, `K${record}`, "bad", { status: "invalid", problems: [missing, { ...missing, unlisted: 4 }] });
}

/** As version 2 was. */
const WITHOUT_COUNTS = `
  drop function migrate.count_items, migrate.count_problems, migrate.fold_counts cascade;
  drop table migrate.counts, migrate.unsent;
  drop index migrate.attempts_ambiguous;
  alter table migrate.workers drop column shown_at;
  update migrate.ledger set version = 2`;
