import { describe, expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { RecordToSend } from "../../src/upload/upload-types.ts";
import { ACCEPTED, fakeClock, fakeLedger, play, sendables } from "./scene.ts";

async function* corrupt(): AsyncGenerator<readonly RecordToSend[]> {
  yield* sendables(3);
  throw new Failure("source_damaged", "cut short");
}

describe("a fault on this machine:", () => {
  const full = new Failure("storage", "disk full");

  test("a full disk prevents every request whose intent cannot be saved", async () => {
    const ledger = fakeLedger({
      intend: (call) => {
        if (call >= 3) throw full;
      },
    });
    const { end, sent } = await play(() => ACCEPTED, { records: 100, ledger });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "storage", exitCode: 6 } });
    expect(sent.length).toBe(ledger.intentGroups.flat().length);
    expect(ledger.sending()).toBe(0);
  });

  test("saving outcomes is retried once after a failure", async () => {
    const ledger = fakeLedger({
      settle: (call) => {
        if (call === 1) throw full;
      },
    });
    const { end } = await play(() => ACCEPTED, { records: 100, ledger });
    expect(end).toMatchObject({ failure: { code: "storage" }, unsaved: [] });
    expect(ledger.sending()).toBe(0);
  });

  test("outcomes that fail to save twice are returned to the caller", async () => {
    const ledger = fakeLedger({
      settle: () => {
        throw full;
      },
    });
    const { end, sent } = await play(() => ACCEPTED, { records: 100, ledger });
    expect(end.unsaved.filter(({ status }) => status === "accepted")).toHaveLength(sent.length);
    expect(end.counts).toEqual({});
  });

  test("a source that fails ends the run once the requests in flight are complete", async () => {
    const { end } = await play(() => ACCEPTED, { source: corrupt() });
    expect(end).toMatchObject({ reason: "stopped", failure: { code: "source_damaged" } });
    expect(Object.values(end.counts).reduce((a, b) => a + b, 0)).toBe(3);
  });

  test("a bug is thrown after the outcomes are saved", async () => {
    const ledger = fakeLedger();
    const played = play(
      ({ number }) => {
        if (number === 5) throw new TypeError("bug");
        return ACCEPTED;
      },
      { ledger, clock: fakeClock() },
    );
    await expect(played).rejects.toThrow(TypeError);
    expect(ledger.sending()).toBe(1);
  });
});
