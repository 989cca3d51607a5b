import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PlannedItem, PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import { intendAll, item, outcomesOf, planned, POLICY, sendAll, statusesOf, REFUSED } from "../ledger-input.ts";

const fileCells = new Map([["a.csv", { key: [], asOf: [{ column: "CHANGED", columnNumber: 7 }] }]]);
const DATED: Partial<PlanPolicy> = { isDated: true, fileCells, revise: true };
const OLDER: Partial<PlanPolicy> = { ...DATED, allowOlder: true };

const one = (content: string, asOf?: number, key = "A"): readonly PlannedItem[] => [item(1, key, content, { asOf })];

/** Tests sources that state the date of their content. */
export function describeStale(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  const plan = (items: readonly PlannedItem[], policy: Partial<PlanPolicy> = DATED): Promise<string> =>
    planned(ledger, items, { policy });

  async function send(content: string, asOf: number, status: "accepted" | "rejected" | "ambiguous"): Promise<string> {
    const run = await plan(one(content, asOf));
    await sendAll(ledger, run, status);
    return run;
  }

  describe("older content", () => {
    test.each(["accepted", "rejected"] as const)("is stale if newer content was sent and %s", async (status) => {
      await send("new", 2, status);
      const run = await plan([...one("old", 1), item(2, "B", "b", { asOf: 1 })]);
      expect(await outcomesOf(ledger, run)).toMatchObject([
        {
          status: "stale",
          problems: [{ code: "stale", place: { file: "a.csv", line: 2, column: "CHANGED", columnNumber: 7 } }],
        },
        { status: "pending" },
      ]);
      await sendAll(ledger, run, "accepted");
      expect(await ledger.summary(run)).toMatchObject({ counts: { stale: 1, accepted: 1 }, exitCode: 1 });
    });

    test("is stale rather than invalid if changes are not sent", async () => {
      await send("new", 2, "accepted");
      const run = await plan(one("old", 1), { ...DATED, revise: false });
      expect(await statusesOf(ledger, run)).toEqual(["stale"]);
    });

    test.each(["without content", "with content"])(
      "is stale rather than invalid if it has errors, %s",
      async (kind) => {
        await send("new", 2, "accepted");
        const content = kind === "with content" ? item(1, "A", "old").content : undefined;
        const problems: PlannedItem["problems"] = [{ code: "required", attr: "a", severity: "error", by: "local" }];
        const older = item(1, "A", "old", { asOf: 1, status: "invalid", content, problems });
        const unknown = item(2, "B", "old", { asOf: 1, status: "invalid", problems });
        const run = await plan([older, unknown]);
        expect(await outcomesOf(ledger, run)).toMatchObject([
          { status: "stale", problems: [{ code: "stale" }] },
          { status: "invalid", problems: [{ code: "required" }] },
        ]);
        expect((await outcomesOf(ledger, run))[0]?.problems).toHaveLength(1);
        expect(await ledger.migration()).toMatchObject([{ counts: { accepted: 1, outdated: 0, invalid: 1 } }]);
        expect(await statusesOf(ledger, await plan([older], OLDER))).toEqual(["invalid"]);
      },
    );

    test("is sent with allowOlder", async () => {
      await send("new", 2, "accepted");
      expect(await statusesOf(ledger, await plan(one("old", 1), OLDER))).toEqual(["pending"]);
    });

    test("is skipped if the platform has the same content", async () => {
      await send("same", 2, "accepted");
      expect(await statusesOf(ledger, await plan(one("same", 1)))).toEqual(["skipped"]);
    });

    test("is stale if a newer extract confirmed the content on the platform", async () => {
      await send("first", 1, "accepted");
      await plan(one("first", 3));
      expect(await statusesOf(ledger, await plan(one("between", 2)))).toEqual(["stale"]);
    });

    test("is stale when an interrupted run is resumed after a newer push", async () => {
      const run = await plan(one("old", 1));
      await send("new", 2, "accepted");
      await ledger.resumeRun(run, { ...POLICY, ...DATED });
      expect(await statusesOf(ledger, run)).toEqual(["stale"]);
      expect(await ledger.unsettledRuns()).toEqual([]);
    });

    test("stays ambiguous if the platform may have received it", async () => {
      await send("new", 2, "rejected");
      const run = await plan(one("old", 1), OLDER);
      await sendAll(ledger, run, "ambiguous");
      await ledger.refresh(run, { ...POLICY, ...DATED });
      expect(await statusesOf(ledger, run)).toEqual(["ambiguous"]);
    });
  });

  describe("a run that is resumed after a later run", () => {
    test("does not replace content that the platform accepted from the later run, even with --revise", async () => {
      const [a, b, c] = [item(1, "A", "x"), item(2, "B", "x"), item(3, "C", "x")];
      await sendAll(ledger, await planned(ledger, [a, b, c]), "accepted");
      const revised = [item(1, "A", "y"), item(2, "B", "y"), item(3, "C", "y")];
      const run = await planned(ledger, revised, { policy: { revise: true } });
      await sendAll(ledger, await planned(ledger, [item(1, "A", "z"), b], { policy: { revise: true } }), "accepted");
      await ledger.resumeRun(run, { ...POLICY, revise: true });
      expect(await outcomesOf(ledger, run)).toMatchObject([
        { status: "stale", problems: [{ code: "stale" }] },
        { status: "stale", problems: [{ code: "stale" }] },
        { status: "pending", problems: [] },
      ]);
    });

    test.each(["rejected", "blocked", "pending"] as const)(
      "does not send a record if the content of the later run is %s",
      async (status) => {
        const first = await planned(ledger, [item(1, "A", "x"), item(2, "B", "x"), item(3, "C", "x")]);
        const later = await planned(ledger, [item(1, "A", "y"), item(2, "B", "x")]);
        await sendAll(ledger, later, status, { problems: [REFUSED] });
        for (const policy of [POLICY, { ...POLICY, revise: true }]) {
          await ledger.resumeRun(first, policy);
          expect(await outcomesOf(ledger, first)).toMatchObject([
            { status: "stale", problems: [{ code: "stale" }] },
            { status: "pending", problems: [] },
            { status: "pending", problems: [] },
          ]);
        }
        await ledger.resumeRun(later, POLICY);
        expect(await statusesOf(ledger, later)).toEqual(
          status === "rejected" ? ["rejected", "rejected"] : ["pending", "pending"],
        );
        expect(await statusesOf(ledger, await planned(ledger, [item(1, "A", "x")]))).toEqual(["pending"]);
      },
    );

    test("does not send a record if the content of the later run is ambiguous", async () => {
      const first = await planned(ledger, [item(1, "A", "x"), item(2, "B", "x")]);
      await sendAll(ledger, await planned(ledger, [item(1, "A", "y"), item(2, "B", "x")]), "ambiguous");
      for (const revise of [false, true]) {
        await ledger.resumeRun(first, { ...POLICY, resendAmbiguous: true, revise });
        expect(await ledger.sendable(first, 1, 9)).toMatchObject([{ record: 2, isAmbiguous: true }]);
        expect(await statusesOf(ledger, first)).toEqual(["ambiguous", "ambiguous"]);
      }
    });
  });

  test("content that is equally old, newer or undated is not stale", async () => {
    await send("new", 2, "accepted");
    for (const asOf of [2, 3, undefined])
      expect(await statusesOf(ledger, await plan(one("other", asOf)))).toEqual(["pending"]);
  });

  test("newer content that was never sent does not make older content stale", async () => {
    await plan(one("new", 2));
    expect(await statusesOf(ledger, await plan(one("old", 1)))).toEqual(["pending"]);
  });

  test("the platform never returns to older content, in any order of extracts, resumed runs and replies", async () => {
    const step = fc.record({
      resumes: fc.boolean(),
      asOf: fc.integer({ min: 1, max: 4 }),
      content: fc.constantFrom("a", "b", "c"),
      reply: fc.constantFrom("accepted", "rejected", "none"),
    });
    let history = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        history += 1;
        const key = `K-${history}`;
        const left: { readonly run: string; readonly content: string; readonly asOf: number }[] = [];
        let platform = { content: "", asOf: 0 };
        for (const { resumes, reply, ...given } of steps) {
          const resumed = resumes ? left.shift() : undefined;
          if (resumed !== undefined) await ledger.resumeRun(resumed.run, { ...POLICY, ...DATED });
          const { run, content, asOf } = resumed ?? {
            run: await plan(one(given.content, given.asOf, key)),
            ...given,
          };
          const [status] = await statusesOf(ledger, run);
          expect(status === "skipped" && content !== platform.content).toBe(false);
          if (status === "skipped") platform = { content, asOf: Math.max(asOf, platform.asOf) };
          if (status !== "pending") continue;
          if (reply === "none") left.push({ run, content, asOf });
          else await sendAll(ledger, run, reply);
          if (reply !== "accepted") continue;
          expect(asOf >= platform.asOf || content === platform.content).toBe(true);
          platform = { content, asOf };
        }
      }),
      { numRuns: 40 },
    );
  });

  test("a request in flight counts as sent", async () => {
    await intendAll(ledger, await plan(one("new", 2)));
    const run = await plan(one("old", 1), { ...DATED, resendAmbiguous: true });
    expect(await statusesOf(ledger, run)).toEqual(["stale"]);
  });
}
