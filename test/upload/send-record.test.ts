import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/contract/operations/operation.ts";
import type { Clock } from "../../src/time/clock.ts";
import { createAuthorisation } from "../../src/platform/auth/create-authorisation.ts";
import { createStepClients, type StepClient } from "../../src/platform/import/step-clients.ts";
import type { Http, HttpReply, HttpRequest } from "../../src/transport/http.ts";
import { fakeClock, type Played, play, type SceneOptions } from "./scene.ts";

const PLAIN: Operation = {
  id: "import",
  method: "POST",
  path: "/data-import/accounts/",
  dedupesByKey: false,
  replies: [],
  outcomes: [],
  steps: [],
  readBack: [],
};

interface Seen {
  readonly at: number;
  readonly path: string;
  readonly record: number;
  readonly authorization: string | undefined;
}

interface PlayedRequests extends Played {
  /** Requests for records, in sending order. */
  readonly seen: readonly Seen[];
}

interface Plan extends SceneOptions {
  readonly operation?: Operation;
  readonly loginMs?: number;
}

const REPLY_MS = 10;

/**
 * Uploads with the real clients. A reply takes 20 ms for record 1, 10 ms for other records, and `loginMs` for a login.
 * The tokens are token-1, token-2, ...
 */
async function playRequests(answer: (seen: Seen) => HttpReply, options: Plan = {}): Promise<PlayedRequests> {
  const { operation = PLAIN, loginMs = 100, ...scene } = options;
  const clock = options.clock ?? fakeClock();
  const seen: Seen[] = [];
  let logins = 0;
  const http: Http = async (request) => {
    if (request.url.pathname.endsWith("/graphql/")) {
      logins += 1;
      await clock.sleep(loginMs);
      return json(200, { data: { ObtainServiceToken: { token: `token-${logins}` } } });
    }
    const one = seenOf(request, clock);
    seen.push(one);
    await clock.sleep(one.record === 1 ? 2 * REPLY_MS : REPLY_MS);
    return answer(one);
  };
  const step = stepOver(http, operation, clock);
  const played = await play(({ record, signal, mayBeSent }) => step.send({ record }, signal, mayBeSent), {
    ...scene,
    clock,
  });
  return { ...played, seen };
}

function stepOver(http: Http, operation: Operation, clock: Clock): StepClient {
  const baseUrl = new URL("https://localhost/v1/");
  const authorisation = createAuthorisation({ credentials: { kind: "api-key", apiKey: "k" }, http, baseUrl, clock });
  const [step] = createStepClients(operation, { http, baseUrl, authorisation, userAgent: "test", clock });
  if (step === undefined) throw new Error("the operation has no step");
  return step;
}

function seenOf({ url, body = "", headers }: HttpRequest, clock: Clock): Seen {
  const { record }: { readonly record: number } = JSON.parse(String(body));
  return { at: clock.monotonic(), path: url.pathname, record, authorization: headers["authorization"] };
}

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HttpReply {
  const all = { "content-type": "application/json", ...headers };
  return { status, headers: all, body: JSON.stringify(body), complete: true, durationMs: REPLY_MS };
}

const CREATED = json(201, { account_number: "A-1" });
const NO_TOKEN = json(401, { detail: "no" });
const BUSY = json(429, {}, { "retry-after": "30" });

/** In the first 20 s, refuses record 1's first token, and refuses record 2 with Retry-After. Accepts other requests. */
function expireTokenThenBusy({ record, authorization, at }: Seen): HttpReply {
  if (at > 20_000 || record > 2) return CREATED;
  if (record === 2) return BUSY;
  return authorization === "Token token-1" ? NO_TOKEN : CREATED;
}

function expireFirstToken({ authorization }: Seen): HttpReply {
  return authorization === "Token token-1" ? NO_TOKEN : CREATED;
}

/** Returns a signal that stops the run this long after its start, like Ctrl-C. */
function stopAfter(ms: number, clock: Clock): AbortSignal {
  const drain = new AbortController();
  void clock.sleep(ms).then(() => drain.abort());
  return drain.signal;
}

describe("a request that is repeated with a newer token", () => {
  test("waits for a Retry-After that has arrived in the meantime", async () => {
    const { end, seen } = await playRequests(expireTokenThenBusy, { records: 2, concurrency: 2 });
    expect(end.counts).toEqual({ accepted: 2 });
    const [first, second, ...later] = seen;
    expect([first?.at, second?.at]).toEqual([100, 100]);
    expect(new Set(later.map(({ record }) => record))).toEqual(new Set([1, 2]));
    for (const { at } of later) expect(at).toBeGreaterThanOrEqual(100 + REPLY_MS + 30_000);
  });

  test("does not use up another attempt", async () => {
    const { ledger } = await playRequests(expireTokenThenBusy, { records: 2, concurrency: 2 });
    expect(ledger.attempts.get(1)).toBe(1);
  });

  test("counts towards the request rate", async () => {
    const { seen } = await playRequests(expireFirstToken, { records: 4, concurrency: 4, rps: 5, loginMs: 1_000 });
    const repeats = seen.slice(4).map(({ at }) => at);
    expect(repeats).toHaveLength(4);
    for (const [index, at] of repeats.slice(1).entries()) expect(at - (repeats[index] ?? 0)).toBeGreaterThan(140);
  });

  test("is not sent once the run is stopped, and its record stays pending", async () => {
    const clock = fakeClock();
    const drain = stopAfter(10_000, clock);
    const { end, seen, ledger } = await playRequests(expireTokenThenBusy, { records: 2, concurrency: 2, clock, drain });
    expect(end).toMatchObject({ reason: "drained", counts: { pending: 2 } });
    expect(seen.map(({ record }) => record)).toEqual([1, 2]);
    expect(ledger.states.get(1)).toBe("pending");
    expect(clock.monotonic()).toBeLessThan(20_000);
  });

  test("is not sent if the import supplier has closed in the meantime", async () => {
    const closed = json(400, { errors: [{ attr: null, code: "import_supplier_migration_not_ongoing", detail: "" }] });
    const { end, seen } = await playRequests(({ record }) => (record === 1 ? NO_TOKEN : closed), {
      records: 2,
      concurrency: 2,
      oneSupplier: false,
      supplierOf: () => "ACME",
    });
    expect(seen.map(({ record }) => record)).toEqual([1, 2]);
    expect(end.counts).toEqual({ blocked: 1, pending: 1 });
  });
});

test("a request that waits for its token when the run is stopped is not sent", async () => {
  const clock = fakeClock();
  const drain = stopAfter(50, clock);
  const { end, seen } = await playRequests(() => CREATED, { records: 2, loginMs: 5_000, clock, drain });
  expect(seen).toEqual([]);
  expect(end).toMatchObject({ reason: "drained", counts: { pending: 2 } });
});

const VALIDATE = {
  id: "validate",
  method: "POST",
  path: "/data-import/validate/",
  dedupesByKey: true,
  replies: [],
  outcomes: [],
};
const STAGED: Operation = {
  ...PLAIN,
  steps: [
    {
      name: "stage",
      kind: "stage",
      operation: { ...VALIDATE, id: "stage", path: "/data-import/stage/" },
      reasons: VALIDATE,
    },
  ],
};
const REFUSED = json(400, { detail: "no" });
const EXPLAINED = json(400, { errors: [{ attr: "billing_name", code: "blank", detail: "" }] });

/** Refuses record 1, giving the reason only on validation. In the first 20 s, refuses record 2 with Retry-After. */
function refusedAndBusy({ record, path, at }: Seen): HttpReply {
  if (path.includes("/validate/")) return EXPLAINED;
  if (record === 1) return REFUSED;
  return at < 20_000 ? BUSY : CREATED;
}

describe("the request that asks why a step was refused", () => {
  test("waits for a Retry-After that has arrived in the meantime", async () => {
    const { end, seen } = await playRequests(refusedAndBusy, { records: 2, concurrency: 2, operation: STAGED });
    expect(end.counts).toEqual({ accepted: 1, rejected: 1 });
    const asked = seen.find(({ path }) => path.includes("/validate/"));
    expect(asked?.at).toBeGreaterThanOrEqual(30_000);
  });

  const CLOSED = json(400, { code: "product_closed", detail: "The product is closed." });
  test.each<[string, HttpReply, readonly object[]]>([
    ["a web page", { ...json(400, {}), headers: { "content-type": "text/html" } }, [{ code: "product_closed" }]],
    ["an empty body", { ...json(422, {}), body: "" }, [{ code: "product_closed" }]],
    ["a refusal for its size", { ...json(413, {}), body: "" }, [{ code: "product_closed" }]],
    ["the same reason", CLOSED, [{ code: "product_closed" }]],
    [
      "another reason for the whole record",
      json(400, { code: "not_here", detail: "no" }),
      [{ code: "product_closed" }, { code: "not_here" }],
    ],
    ["the reasons at their fields", EXPLAINED, [{ attr: "billing_name", code: "blank" }]],
  ])("does not hide the known reason unless it names a field: %s", async (_, reasons, expected) => {
    const answer = ({ path }: Seen): HttpReply => (path.includes("/validate/") ? reasons : CLOSED);
    const { ledger } = await playRequests(answer, { records: 1, operation: STAGED });
    const [outcome] = ledger.settlements;
    expect(outcome?.problems).toHaveLength(expected.length);
    expect(outcome).toMatchObject({ status: "rejected", problems: expected });
  });

  test("is not sent once the run is stopped, because a later run sends the record and gets the reason", async () => {
    const clock = fakeClock();
    const drain = stopAfter(10_000, clock);
    const { end, seen } = await playRequests(refusedAndBusy, {
      records: 2,
      concurrency: 2,
      operation: STAGED,
      clock,
      drain,
    });
    expect(end.counts).toEqual({ pending: 2 });
    expect(seen.some(({ path }) => path.includes("/validate/"))).toBe(false);
  });
});
