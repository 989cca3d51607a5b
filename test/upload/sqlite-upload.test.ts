import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { PlannedItem } from "../../src/ledger/records/planned-item.ts";
import { packItems } from "../../src/ledger/packed/packed-items.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openTemporaryLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { ImportClient } from "../../src/platform/import/import-client.ts";
import { upload } from "../../src/upload/upload.ts";
import { ACCEPTED, AMBIGUOUS, busy, fakeClock, oneStep, rejected, sendable, withOwnAccount } from "./scene.ts";

const NOT_PROCESSED: RequestResult = { replyClass: { kind: "retry", reason: "HTTP 408" }, http: 408, durationMs: 1 };

/** The replies to each record's requests, in order. */
const SCRIPT: readonly (readonly [readonly RequestResult[], string])[] = [
  [[ACCEPTED], "accepted"],
  [[busy(), busy(1000), ACCEPTED], "accepted"],
  [[AMBIGUOUS, AMBIGUOUS, ACCEPTED], "accepted"],
  [[AMBIGUOUS, AMBIGUOUS, AMBIGUOUS], "ambiguous"],
  [[NOT_PROCESSED, NOT_PROCESSED, NOT_PROCESSED], "pending"],
  [[NOT_PROCESSED, rejected("blank")], "rejected"],
];

test("the SQLite ledger supports every path through an upload", async () => {
  const ledger = await openTemporaryLedger(temporaryFolder());
  try {
    const run = await ledger.startRun({
      command: "push",
      target: "localhost",
      supplier: "S",
      operation: "POST /x/",
      endpoint: "POST localhost/x",
      settings: {},
      dryRun: false,
      startedAt: "2026-01-01T00:00:00.000Z",
    });
    const records = SCRIPT.map((_, index) => {
      const digest = createHash("sha256").update(String(index)).digest();
      return { ...sendable(index + 1), identity: digest, content: digest };
    });
    const items = records.map(({ record, identity, content }): PlannedItem => {
      const row = { record, key: `K${record}`, file: "a.csv", line: record + 1 };
      return { ...row, identity, content, status: "valid", problems: [] };
    });
    await ledger.plan(run.id, packItems(items));
    await ledger.finishPlan(run.id, { revise: false, resendAmbiguous: true, keyAttr: "key", fileCells: new Map() });

    const turns = new Map<number, number>();
    const client: ImportClient = {
      send(payload) {
        const record = Number(payload["record"]);
        const turn = turns.get(record) ?? 0;
        turns.set(record, turn + 1);
        return Promise.resolve(withOwnAccount(SCRIPT[record - 1]?.[0][turn] ?? ACCEPTED, record));
      },
    };
    const never = new AbortController().signal;
    const end = await upload(
      () => batch(records),
      { ledger, steps: oneStep(client, true), clock: fakeClock(), random: () => 0.5, onProgress: () => undefined },
      { run: run.id, concurrency: 2, drain: never, abort: never },
    );

    expect(end).toMatchObject({ reason: "done", unsaved: [] });
    const statuses: string[] = [];
    for await (const outcomes of ledger.outcomes(run.id)) statuses.push(...outcomes.map(({ status }) => status));
    expect(statuses).toEqual(SCRIPT.map(([, status]) => status));
    expect((await ledger.attempts("K3")).map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, "pending"],
      [2, "pending"],
      [3, "accepted"],
    ]);
  } finally {
    await ledger.close();
  }
});

async function* batch<T>(records: readonly T[]): AsyncGenerator<readonly T[]> {
  yield records;
}
