import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { RecordToSend } from "../../src/upload/upload-types.ts";
import { ACCEPTED, play, sendable } from "./scene.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

test("an upload releases the records that it has sent (the upload used to keep all records until its end)", async () => {
  const payloads: WeakRef<object>[] = [];
  const held: number[] = [];

  async function* watched(): AsyncGenerator<readonly RecordToSend[]> {
    for (let record = 1; record <= 200; record += 1) {
      const one = sendable(record);
      payloads.push(new WeakRef(one.payload));
      yield [one];
      if (record % 50 !== 0) continue;
      await new Promise(setImmediate);
      collectGarbage();
      held.push(payloads.filter((payload) => payload.deref() !== undefined).length);
    }
  }

  const { sent } = await play(() => ACCEPTED, { source: watched(), concurrency: 4 });
  expect(sent).toHaveLength(200);
  expect(held).toHaveLength(4);
  expect(Math.max(...held)).toBeLessThan(25);
});

test("a record that waits for a retry does not keep data in memory that it shares with other records", async () => {
  const shared: WeakRef<object>[] = [];
  let held: number | undefined;

  async function* watched(): AsyncGenerator<readonly RecordToSend[]> {
    for (let record = 1; record <= 20; record += 1) {
      const chunk = { bytes: Buffer.alloc(100_000) };
      shared.push(new WeakRef(chunk));
      const alone = sendable(record);
      yield [{ ...alone, locate: () => (chunk.bytes.length > 0 ? undefined : undefined), detached: () => alone }];
    }
    await new Promise(setImmediate);
    collectGarbage();
    held = shared.filter((chunk) => chunk.deref() !== undefined).length;
  }

  const seen = new Set<number>();
  const { end, sent } = await play(
    ({ record }) => {
      if (seen.has(record)) return ACCEPTED;
      seen.add(record);
      return { replyClass: { kind: "retry", reason: "HTTP 408" }, http: 408, durationMs: 1 };
    },
    { source: watched(), concurrency: 2 },
  );
  expect(end.counts).toEqual({ accepted: 20 });
  expect(sent).toHaveLength(40);
  expect(held).toBeLessThan(6);
});
