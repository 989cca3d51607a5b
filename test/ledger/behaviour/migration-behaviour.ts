import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { OpenFilter, OpenRecord } from "../../../src/ledger/migration-state.ts";
import {
  completeStep,
  item,
  outcomesOf,
  planned,
  POLICY,
  PUSH,
  REFUSED,
  sendAll,
  statusesOf,
} from "../ledger-input.ts";
import { histories } from "../migration-histories.ts";
import { type ExpectedMigration, expectedMigration } from "../expected-migration.ts";
import { emptyModel, take } from "../migration-model.ts";

async function openOf(ledger: Ledger, filter: OpenFilter = {}): Promise<readonly OpenRecord[]> {
  const all: OpenRecord[] = [];
  for await (const batch of ledger.openRecords(filter)) all.push(...batch);
  return all;
}

async function expectOutdated(ledger: Ledger, run: string): Promise<void> {
  expect((await openOf(ledger)).map((open) => [open.key, open.state, open.run])).toEqual([["A", "outdated", run]]);
}

async function seenMigration(ledger: Ledger): Promise<ExpectedMigration> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { target, supplier, records, withoutKey, counts: states } of await ledger.migration()) {
    if (records + withoutKey === 0) continue;
    const all = Object.entries({ records, withoutKey, ...states });
    counts[`${target} ${supplier}`] = Object.fromEntries(all.filter(([, count]) => count !== 0));
  }
  const open = (await openOf(ledger)).map(({ target, supplier, key, state, since, source: { file, line } }) =>
    [target, supplier, ...(key === undefined ? [file, line, state] : [key, state, since])].join(" "),
  );
  return { open: open.toSorted(), counts, unsettled: await ledger.unsettledRuns() };
}

const REFUSED_ROW = { status: "invalid", problems: [REFUSED] } as const;

export interface MigrationLedgers {
  /** Opens an empty ledger. */
  readonly empty: () => Promise<Ledger>;
  /** Called with the ledger at the end of each history and of every other test. */
  readonly leave?: (ledger: Ledger) => Promise<void>;
  /** Counts everything again, as a repair does. */
  readonly recounted?: (ledger: Ledger) => Promise<Ledger>;
}

/** Tests that the state of the migration matches the state of a plain model after any history of pushes. */
export function describeMigration(kind: string, { empty, leave, recounted }: MigrationLedgers, numRuns: number): void {
  describe(`${kind}, across its runs,`, () => {
    test("reports the state of every record after any history of pushes and decisions", async () => {
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const ledger = await empty();
          const model = emptyModel();
          for (const step of history) {
            await take(ledger, step, model);
            expect(await seenMigration(ledger)).toEqual(await expectedMigration(ledger, model));
          }
          const last = (await recounted?.(ledger)) ?? ledger;
          expect(await seenMigration(last)).toEqual(await expectedMigration(last, model));
          await leave?.(last);
        }),
        // Histories are short, so there is no need to shrink a failing history.
        { numRuns, endOnFailure: true },
      );
    });

    test("forgets invalid records that a later push contains with corrected keys", async () => {
      const ledger = await empty();
      const invalid = { status: "invalid" } as const;
      const earliest = await planned(ledger, [item(1, "A3", "x", invalid)]);
      const first = await planned(ledger, [
        item(1, "A3", "x", invalid),
        item(2, "B", "x", invalid),
        item(3, "C", "x", invalid),
      ]);
      const superseded = [
        { run: earliest, record: 1 },
        { run: first, record: 2 },
      ];
      const second = await planned(ledger, [item(1, "0003", "y"), item(2, "B", "y", invalid)], {
        policy: { superseded },
      });
      const expectForgotten = async (each: Ledger): Promise<void> => {
        expect((await openOf(each)).map(({ key, state, run }) => [key, state, run])).toEqual([
          ["0003", "pending", second],
          ["B", "invalid", second],
          ["C", "invalid", first],
        ]);
        expect((await each.migration()).map(({ records, withoutKey }) => [records, withoutKey])).toEqual([[3, 0]]);
      };
      await expectForgotten(ledger);
      const last = (await recounted?.(ledger)) ?? ledger;
      await expectForgotten(last);
      await leave?.(last);
    });

    test("keeps the change of a later extract open if older rejects are re-imported (it used to be forgotten)", async () => {
      const ledger = await empty();
      const extract = (content: string) =>
        planned(ledger, [item(1, "A", content, REFUSED_ROW), item(2, "B", "x", REFUSED_ROW)]);
      const first = await extract("x");
      const second = await extract("changed");
      const corrected = [item(1, "A", "corrected"), item(2, "B", "corrected")];
      const third = await planned(ledger, corrected, { policy: { reimport: { exportedBy: [first], reimports: [] } } });
      const warnings = async (run: string): Promise<unknown> =>
        (await outcomesOf(ledger, run)).map(({ status, problems }) => [status, ...problems.map(({ code }) => code)]);
      expect(await warnings(third)).toEqual([["pending", "changed_since_export"], ["pending"]]);
      await sendAll(ledger, third, "accepted", { at: "2026-11-20T23:50:00.000Z" });
      await expectOutdated(ledger, second);
      const again = { policy: { reimport: { exportedBy: [first], reimports: [third] } } };
      expect(await statusesOf(ledger, await planned(ledger, corrected, again))).toEqual(["skipped", "skipped"]);
      await expectOutdated(ledger, second);
      await extract("changed");
      const last = await extract("changed");
      expect(await warnings(last)).toEqual([
        ["invalid", REFUSED.code],
        ["skipped", "corrected_since"],
      ]);
      await expectOutdated(ledger, last);
      await leave?.(ledger);
    });

    test("keeps the change of a later extract open if the re-import of older rejects is resumed", async () => {
      const ledger = await empty();
      const first = await planned(ledger, [item(1, "A", "x", REFUSED_ROW), item(2, "B", "x", REFUSED_ROW)]);
      const reimport = { exportedBy: [first], reimports: [] };
      const second = await planned(ledger, [item(1, "A", "corrected")], { policy: { reimport } });
      await sendAll(ledger, second, "accepted");
      const third = await planned(ledger, [item(1, "A", "changed", REFUSED_ROW)]);
      const corrected = [item(1, "A", "corrected"), item(2, "B", "corrected")];
      const policy = { reimport: { ...reimport, reimports: [second] } };
      const last = await planned(ledger, corrected, { policy });
      expect(await statusesOf(ledger, last)).toEqual(["skipped", "pending"]);
      await ledger.resumeRun(last, POLICY);
      await sendAll(ledger, last, "accepted");
      expect(await openOf(ledger)).toMatchObject([{ key: "A", state: "outdated", run: third }]);
      await leave?.(ledger);
    });

    test("keeps the change of a later extract open after a repair", async () => {
      const ledger = await empty();
      const first = await planned(ledger, [item(1, "A", "x", REFUSED_ROW)]);
      const second = await planned(ledger, [item(1, "A", "changed", REFUSED_ROW)]);
      const policy = { reimport: { exportedBy: [first], reimports: [] } };
      await sendAll(ledger, await planned(ledger, [item(1, "A", "corrected")], { policy }), "accepted");
      const last = (await recounted?.(ledger)) ?? ledger;
      expect(await openOf(last)).toMatchObject([{ key: "A", state: "outdated", run: second }]);
      await leave?.(last);
    });

    test("does not treat an earlier re-import of the same rejects as a later extract", async () => {
      const ledger = await empty();
      const first = await planned(ledger, [item(1, "A", "x", REFUSED_ROW)]);
      const reimport = { exportedBy: [first], reimports: [] };
      const second = await planned(ledger, [item(1, "A", "y")], { policy: { reimport } });
      await sendAll(ledger, second, "rejected");
      const policy = { reimport: { ...reimport, reimports: [second] } };
      await sendAll(ledger, await planned(ledger, [item(1, "A", "z")], { policy }), "accepted");
      expect(await openOf(ledger)).toEqual([]);
      await leave?.(ledger);
    });

    test("compares a record that is still to be sent with its accepted content, not with a refused revision", async () => {
      const ledger = await empty();
      const revise = { policy: { revise: true } };
      const first = await planned(ledger, [item(1, "K1", "old")]);
      expect(await ledger.compareToSend(first)).toBeUndefined();
      await sendAll(ledger, first, "accepted");
      const refused = await planned(ledger, [item(1, "K1", "new"), item(2, "K2", "new")], revise);
      expect(await ledger.compareToSend(refused)).toEqual({ new: 1, changed: 1, unchanged: 0 });
      await sendAll(ledger, refused, "rejected");
      const again = await planned(ledger, [item(1, "K1", "new"), item(2, "K2", "new")], revise);
      expect(await ledger.compareToSend(again)).toEqual({ new: 0, changed: 1, unchanged: 1 });
      await leave?.(ledger);
    });

    test("counts a run as open if only it can settle a record that is invalid in a later push", async () => {
      const ledger = await empty();
      const first = await planned(ledger, [item(1, "A"), item(2, "B")]);
      await sendAll(ledger, first, "ambiguous");
      const scheduled = await planned(ledger, [item(1, "C")]);
      await completeStep(ledger, scheduled, { step: "schedule", idempotent: false });
      const notSent = await planned(ledger, [item(1, "D")]);
      expect(await ledger.unsettledRuns()).toEqual([notSent, scheduled, first]);
      const rows = ["A", "B", "C", "D"].map((key, index) => item(index + 1, key, "y", { status: "invalid" }));
      await planned(ledger, rows);
      expect(await ledger.unsettledRuns()).toEqual([scheduled, first]);
      const again = await planned(ledger, [item(1, "A"), item(2, "B"), item(3, "C")]);
      expect(await ledger.unsettledRuns()).toEqual([again]);
      await leave?.(ledger);
    });

    test("finds the keys that no planned push to a destination has included", async () => {
      const ledger = await empty();
      const { endpoint, supplier } = PUSH;
      await planned(ledger, [item(1, "A"), item(2, "É"), item(3, "B", "x", { status: "invalid" })]);
      const keys = ["A", "B", "C", "a", "É"];
      expect((await ledger.unseenKeys([{ endpoint, supplier }], keys)).toSorted()).toEqual(["C", "a"]);
      expect((await ledger.unseenKeys([{ endpoint, supplier: "OTHER" }], keys)).toSorted()).toEqual(keys);
      expect(await ledger.unseenKeys([{ endpoint, supplier }], [])).toEqual([]);
      await leave?.(ledger);
    });

    test("returns the keys of a run by record number", async () => {
      const ledger = await empty();
      const withoutKey = { key: undefined, identity: undefined, content: undefined, status: "invalid" as const };
      const run = await planned(ledger, [item(1, "A"), item(2, "", "x", withoutKey), item(3, "B"), item(4, "É")]);
      expect((await ledger.plannedKeys(run, 1, 3)).toSorted()).toEqual(["A", "B"]);
      expect(await ledger.plannedKeys(run, 4, 10)).toEqual(["É"]);
      await leave?.(ledger);
    });

    test("finds the records with a key, even if their address has parameters", async () => {
      const ledger = await empty();
      const run = { endpoint: "POST platform.example/v1/companies/%7B%7D/customers" };
      const destination = { endpoint: run.endpoint, supplier: PUSH.supplier };
      const north = item(1, "north").identity ?? new Uint8Array();
      const south = item(2, "south").identity ?? new Uint8Array();
      await planned(ledger, [item(1, "A", "x", { identity: north }), item(2, "A", "x", { identity: south })], { run });
      expect(await ledger.unseenKeys([destination], ["A", "B"])).toEqual(["B"]);
      const known = await ledger.identitiesByKey(destination, ["A", "B"]);
      expect([...known.keys()]).toEqual(["A"]);
      expect(new Set(known.get("A"))).toEqual(new Set([north, south]));
      expect((await ledger.identitiesByKey(PUSH, ["A"])).get("A")).toEqual([item(1, "A").identity]);
      await leave?.(ledger);
    });

    test("returns the problems, run and place of the latest version of each record, optionally only since a given time", async () => {
      const ledger = await empty();
      const required = { attr: "name", severity: "error", by: "local", code: "required" } as const;
      const bad = { status: "invalid", problems: [required] } as const;
      await planned(ledger, [item(1, "K1", "old", bad), item(2, "K2", "bad", bad)]);
      const run = await planned(ledger, [item(1, "K1", "new", bad), item(2, "K3", "bad", bad)], {
        run: { startedAt: "2026-11-21T00:00:00.000Z" },
      });
      const [first] = await openOf(ledger);
      expect(first).toMatchObject({ key: "K1", state: "invalid", run, since: PUSH.startedAt, problems: [required] });
      expect(await openOf(ledger, { since: "2026-11-21" })).toMatchObject([
        { key: "K3", source: { file: "a.csv", line: 3 } },
      ]);
      await leave?.(ledger);
    });
  });
}
