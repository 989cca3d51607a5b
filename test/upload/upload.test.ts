import { describe, expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import { ACCEPTED, fakeLedger, given, play, rejected, sendable, type FakeLedger } from "./scene.ts";

describe("every record of an upload", () => {
  test("has an intent, is sent once and has an outcome", async () => {
    const { end, ledger, sent } = await play(() => ACCEPTED, { records: 100 });
    expect(end).toEqual({ reason: "done", counts: { accepted: 100 }, unsaved: [] });
    expect(sent.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(ledger.settlements).toHaveLength(100);
    expect(ledger.settlements[0]).toMatchObject({
      status: "accepted",
      account: "A-1",
      http: 201,
      durationMs: 10,
      attempt: 1,
    });
  });

  test("has an outcome soon after its intent: at most four records per concurrent request have an intent but no outcome", async () => {
    const ledger = fakeLedger();
    let most = 0;
    const answer = async (): Promise<RequestResult> => {
      most = Math.max(most, ledger.sending());
      for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
      return ACCEPTED;
    };
    const played = await play(answer, { records: 400, concurrency: 8, ledger });
    expect(played.most).toBe(8);
    expect(most).toBeGreaterThan(8);
    expect(most).toBeLessThanOrEqual(32);
    expect(ledger.intentGroups.length).toBeLessThan(100);
  });

  test("stores the cell and the shape of a rejected value, but not the value itself", async () => {
    const answer = rejected("invalid_phone_number", "customers.0.phone", "07700 900123 is not a phone number");
    const payload = { customers: [{ phone: "07700 900123" }] };
    const { ledger } = await play(() => answer, { records: 1, payload });
    expect(ledger.settlements[0]?.problems).toEqual([
      {
        attr: "customers.0.phone",
        code: "invalid_phone_number",
        detail: "9{5} 9{6} is not a phone number",
        severity: "error",
        by: "platform",
        shape: "9{5} 9{6}",
        place: { file: "accounts.csv", line: 2, column: "customers.0.phone" },
      },
    ]);
  });

  test("has its values masked in details about the whole record", async () => {
    const answer = rejected("odd", "non_field_errors", "Ann of EXT-1 is not in the Annexe");
    const { ledger } = await play(() => answer, { records: 1, payload: { name: "Ann", key: "EXT-1" } });
    expect(ledger.settlements[0]?.problems[0]).toMatchObject({ detail: "Aaa of AAA-9 is not in the Annexe" });
  });

  test("continues the attempt numbers of earlier runs", async () => {
    const ledger = fakeLedger();
    const earlier = { record: 1, identity: Uint8Array.of(1), attempt: 1, at: "2026-01-01T00:00:00.000Z" };
    await ledger.saveIntents("earlier", [{ ...earlier, content: Uint8Array.of(1) }]);
    await ledger.saveOutcomes("earlier", [{ ...earlier, status: "rejected", problems: [] }]);
    await play(() => ACCEPTED, { ledger, source: given({ ...sendable(1), attempts: 1 }) });
    expect(ledger.settlements.at(-1)).toMatchObject({ attempt: 2, status: "accepted" });
  });
});

test("outcomes are written with the next intents, so an upload waits for the disk once per group", async () => {
  const base = fakeLedger();
  let alone = 0;
  const saveOutcomes: FakeLedger["saveOutcomes"] = (run, group) => {
    alone += 1;
    return base.saveOutcomes(run, group);
  };
  const { end } = await play(() => ACCEPTED, {
    records: 1000,
    concurrency: 32,
    ledger: { ...base, saveOutcomes },
  });
  expect(end.counts).toEqual({ accepted: 1000 });
  expect(alone).toBeLessThan(base.intentGroups.length / 4);
});
