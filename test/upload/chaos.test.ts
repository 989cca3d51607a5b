import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../src/time/clock.ts";
import type { AttemptOutcome } from "../../src/ledger/records/requests.ts";
import { createImportClient } from "../../src/platform/import/import-client.ts";
import { createAuthorisation } from "../../src/platform/auth/create-authorisation.ts";
import type { UploadEnd, UploadOptions } from "../../src/upload/upload-types.ts";
import { upload } from "../../src/upload/upload.ts";
import { createHttp } from "../../src/transport/http-client.ts";
import {
  type Action,
  after,
  type ChaosOptions,
  type ChaosServer,
  closeSilently,
  rawThenEnd,
  reply,
  resetSilently,
  startChaosServer,
} from "../chaos-server.ts";
import { type FakeLedger, fakeLedger, oneStep, sendables } from "./scene.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Real time, but sleeps take a hundredth of their duration. */
const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms / 100);
      signal?.addEventListener("abort", wake);
    }),
};

interface Pushing extends Partial<UploadOptions>, Pick<ChaosOptions, "onConnection"> {
  readonly records: number;
  readonly dedupes?: boolean;
}

interface Pushed {
  readonly server: ChaosServer;
  readonly ledger: FakeLedger;
  readonly end: UploadEnd;
  /** The number of requests that the platform received for each record. */
  readonly seen: ReadonlyMap<number, number>;
}

async function push(
  act: (record: number, attempt: number) => Action,
  { records, onConnection, dedupes = false, ...options }: Pushing,
): Promise<Pushed> {
  const seen = new Map<number, number>();
  const server = await startChaosServer(
    ({ body }) => {
      const record = Number(/"record":(\d+)/.exec(body)?.[1]);
      seen.set(record, (seen.get(record) ?? 0) + 1);
      return act(record, seen.get(record) ?? 0);
    },
    onConnection === undefined ? {} : { onConnection },
  );
  const { http, close } = createHttp({ origin: server.baseUrl, connections: 16, ca: server.ca });
  cleanups.push(close, server.close);
  const ledger = fakeLedger();
  const never = new AbortController().signal;
  const { baseUrl } = server;
  const authorisation = createAuthorisation({ http, baseUrl, credentials: { kind: "token", token: "t" }, clock });
  const operation = { path: "/data-import/accounts/", outcomes: [] };
  const client = createImportClient({ http, baseUrl, authorisation, operation, userAgent: "test", clock });
  const end = await upload(
    () => sendables(records),
    { ledger, steps: oneStep(client, dedupes), clock, random: Math.random, onProgress: () => undefined },
    { run: "run", concurrency: 16, drain: never, abort: never, ...options },
  );
  return { server, ledger, end, seen };
}

/** Creates an account with a different number for each record. */
const created: Action = (socket, request) => {
  const { record }: { readonly record: number } = JSON.parse(request.body);
  reply(201, { account_number: `A-${record}` })(socket, request);
};

interface Case {
  readonly act: Action;
  readonly becomes: AttemptOutcome["status"];
}
const CASES: readonly Case[] = [
  { act: created, becomes: "accepted" },
  { act: after(5, created), becomes: "accepted" },
  { act: rawThenEnd('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"a":'), becomes: "ambiguous" },
  { act: reply(400, { errors: [{ attr: "name", code: "blank", detail: "no" }] }), becomes: "rejected" },
  { act: reply(413, ""), becomes: "rejected" },
  { act: closeSilently, becomes: "ambiguous" },
  { act: resetSilently, becomes: "ambiguous" },
  { act: reply(500, "<html>", { "content-type": "text/html" }), becomes: "ambiguous" },
  { act: rawThenEnd("HTTP/1.1 20"), becomes: "ambiguous" },
];

function caseOf(record: number): Case | undefined {
  return CASES[(record * 7919) % CASES.length];
}

describe("a platform with every kind of fault:", () => {
  test("the ledger agrees with the platform for every record", async () => {
    const { ledger, end, seen } = await push((record) => caseOf(record)?.act ?? created, { records: 450 });
    expect(end.reason).toBe("done");
    expect(ledger.states.size).toBe(450);
    for (const [record, status] of ledger.states) expect([record, status]).toEqual([record, caseOf(record)?.becomes]);
    for (const [record, attempts] of seen) expect([record, attempts]).toEqual([record, 1]);
  });

  test("the platform never sees more attempts than the ledger contains", async () => {
    const busy = reply(429, {}, { "retry-after": 0 });
    const { ledger, end, seen } = await push((record, attempt) => (record % 5 === 0 && attempt < 3 ? busy : created), {
      records: 200,
    });
    expect(end.counts).toEqual({ accepted: 200 });
    for (const [record, attempts] of seen) {
      expect(attempts).toBe(record % 5 === 0 ? 3 : 1);
      expect(ledger.attempts.get(record)).toBe(attempts);
    }
  });

  test("lost replies are resolved on a platform that deduplicates", async () => {
    const { end, seen } = await push(
      (record, attempt) => (record % 4 === 0 && attempt === 1 ? closeSilently : created),
      {
        records: 100,
        dedupes: true,
      },
    );
    expect(end.counts).toEqual({ accepted: 100 });
    expect([...seen.values()].reduce((a, b) => a + b)).toBe(125);
  });

  test("a temporary outage loses nothing and sends nothing twice", async () => {
    let connections = 0;
    const onConnection = (socket: Socket): boolean => {
      connections += 1;
      const away = connections > 4 && connections < 30;
      if (away) socket.resetAndDestroy();
      return !away;
    };
    const { end, ledger, server } = await push(() => created, { records: 100, concurrency: 8, onConnection });
    expect(end.counts).toEqual({ accepted: 100 });
    expect(server.requests).toHaveLength(100);
    expect([...ledger.attempts.values()].every((attempt) => attempt === 1)).toBe(true);
  });
});
