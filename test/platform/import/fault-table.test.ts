import { afterEach, expect, test } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { productPages } from "../../../src/platform/reading/product-list.ts";
import { parseBaseUrl } from "../../../src/transport/base-url.ts";
import { type ChaosProxy, type ChaosProxyOptions, startChaosProxy } from "../../chaos-proxy.ts";
import {
  type Action,
  after,
  closeSilently,
  drip,
  raw,
  rawThenEnd,
  reply,
  resetSilently,
  neverAnswer,
} from "../../chaos-server.ts";
import { seededDice } from "../../seeded-dice.ts";
import { type ConnectedClientOptions, type ConnectedClient, connectClient } from "./connected-client.ts";
import { bytes, chunked, cut, endless, LATIN_1, longHead, packed, shortened, UTF_16 } from "./faulty-replies.ts";
import { fakeReads, listOf } from "../reading/fake-reads.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/**
 * `never sent`: may be sent again. `retry`: certainly not processed. `ambiguous`: possibly processed. `stop`: more
 * requests are pointless.
 */
type Class = "never sent" | "retry" | "ambiguous" | "accepted" | "rejected" | "blocked" | "stop";

const CLASSES: Readonly<Record<RequestResult["replyClass"]["kind"], Class | undefined>> = {
  unsent: "never sent",
  cancelled: undefined,
  retry: "retry",
  ambiguous: "ambiguous",
  accepted: "accepted",
  rejected: "rejected",
  blocked: "blocked",
  stop: "stop",
  unauthorised: "stop",
  waiting: undefined,
  absent: undefined,
};

/** Short timeouts for replies that never arrive. A connection may take longer on a busy machine. */
const SHORT = { connectMs: 10_000, headersMs: 200, bodyMs: 200, totalMs: 20_000 };
const PATIENT = { connectMs: 5_000, headersMs: 5_000, bodyMs: 5_000, totalMs: 20_000 };
const created = reply(201, { account_number: "A-1" });
const problems = reply(400, { errors: [{ attr: "name", code: "blank", detail: "" }] });
const HTML = { "content-type": "text/html" };

async function before(act: Action | readonly Action[], options: ConnectedClientOptions = {}): Promise<ConnectedClient> {
  const actions = typeof act === "function" ? [act] : act;
  const client = await connectClient(({ number }) => actions[Math.min(number, actions.length) - 1] ?? neverAnswer, {
    timeouts: SHORT,
    ...options,
  });
  cleanups.push(client.close);
  return client;
}

/** Returns a function that sends one request with this fault and returns the class of its result. */
function meeting(act: Action, options?: ConnectedClientOptions): () => Promise<readonly Class[]> {
  return async () => [classOf(await (await before(act, options)).send())];
}

function classOf({ replyClass }: RequestResult): Class {
  return CLASSES[replyClass.kind] ?? "ambiguous";
}

function onAccept(how: "end" | "resetAndDestroy"): ConnectedClientOptions {
  return {
    onConnection: (socket) => {
      socket[how]();
      return false;
    },
  };
}

const proxied = (options: ChaosProxyOptions): ConnectedClientOptions => ({
  timeouts: { ...SHORT, headersMs: 5_000, totalMs: 10_000 },
  by: async (server) => {
    const proxy = await startChaosProxy(server, options);
    cleanups.unshift(proxy.close);
    return proxy.baseUrl;
  },
});

/** Returns a function that sends several concurrent requests and returns the classes of their results. */
function severalMeeting(act: (number: number) => Action, count: number): () => Promise<readonly Class[]> {
  return async () => {
    const client = await before(
      Array.from({ length: count }, (_, index) => act(index)),
      proxied({ delayMs: () => 100 * dice() }),
    );
    const answers = await Promise.all(Array.from({ length: count }, () => client.send()));
    return answers.map(classOf);
  };
}
const dice = seededDice(22);

async function refused(work: () => unknown): Promise<readonly Class[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return error instanceof Failure ? ["stop"] : [];
  }
}

async function healed(): Promise<readonly Class[]> {
  const proxies: ChaosProxy[] = [];
  const client = await before(created, {
    // Long enough for the two requests that succeed, even on a busy machine.
    timeouts: { connectMs: 2_000, headersMs: 1_000, bodyMs: 1_000, totalMs: 10_000 },
    by: async (server) => {
      const proxy = await startChaosProxy(server);
      cleanups.unshift(proxy.close);
      proxies.push(proxy);
      return proxy.baseUrl;
    },
  });
  const first = await client.send();
  proxies[0]?.partition();
  const inFlight = await client.send();
  const meanwhile = await client.send();
  proxies[0]?.heal();
  return [first, inFlight, meanwhile, await client.send()].map(classOf);
}

async function rotated(): Promise<readonly Class[]> {
  const tokens = [reply(200, { data: { ObtainServiceToken: { token: "a" } } }), reply(401, {})];
  const client = await before([...tokens, tokens[0] ?? neverAnswer, created], { apiKey: "k" });
  const answer = await client.send();
  expect(client.server.requests.map(({ path }) => path.includes("graphql"))).toEqual([true, false, true, false]);
  return [classOf(answer)];
}

async function nextLink(next: string): Promise<readonly Class[]> {
  const { client } = fakeReads(() => listOf([], next));
  return refused(async () => {
    for await (const page of productPages(client)) void page;
  });
}

interface Row {
  readonly what: string;
  readonly produce: () => Promise<readonly Class[]>;
  readonly classes: readonly Class[];
}

function row(what: string, produce: Row["produce"], ...classes: readonly Class[]): Row {
  return { what, produce, classes };
}

/** Larger than the buffers between client and server. */
const LONG = { external_account_number: "A", remark: "x".repeat(16_000_000) };

/** Sends a request to a server that stops reading after the head of the request, and replies. */
async function timedOutEarly(): Promise<readonly Class[]> {
  const client = await before(neverAnswer, {
    timeouts: { ...SHORT, headersMs: 5_000, totalMs: 10_000 },
    onPiece: (socket, { hasHead, tcp }) => {
      if (!hasHead) return true;
      socket.pause();
      tcp.pause();
      socket.end("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n");
      return false;
    },
  });
  return [classOf(await client.send(LONG))];
}

const elsewhere = (port: number): ConnectedClientOptions => ({ by: () => new URL(`https://localhost:${port}/v1/`) });
const at = (address: string): ConnectedClientOptions => ({ by: () => new URL(address) });

const TABLE: readonly Row[] = [
  row("connection refused", meeting(created, elsewhere(1)), "never sent"),
  row("no such host", meeting(created, at("https://nope.invalid/v1/")), "never sent"),
  row("no route", meeting(created, at("https://255.255.255.255/v1/")), "never sent"),
  row(
    "a stalled handshake",
    meeting(created, { onConnection: () => false, timeouts: { ...SHORT, connectMs: 200 } }),
    "never sent",
  ),
  row("closed on accept", meeting(created, onAccept("end")), "never sent"),
  row("reset on accept", meeting(created, onAccept("resetAndDestroy")), "never sent"),
  row("closed after the request", meeting(closeSilently), "ambiguous"),
  row("reset after the request", meeting(resetSilently), "ambiguous"),
  row("no reply", meeting(neverAnswer), "ambiguous"),
  row(
    "a head sent byte by byte",
    meeting(drip(`HTTP/1.1 201 Created\r\nx-slow: ${"y".repeat(500)}`, 20), { timeouts: { ...SHORT, totalMs: 2_000 } }),
    "ambiguous",
  ),
  row("a truncated success", meeting(cut(201, '{"acc')), "ambiguous"),
  row("a success truncated after its JSON", meeting(cut(201, '{"account_number":"A-1"}')), "ambiguous"),
  row("a success truncated before its body", meeting(cut(201, "")), "ambiguous"),
  row("a truncated success in chunks", meeting(chunked(201, '{"account_number":"A-1"}')), "ambiguous"),
  row("a success shorter than its JSON", meeting(shortened(201, '{"account_number":"A-1"}', 10)), "ambiguous"),
  row("a truncated compressed success", meeting(packed(201, '{"account_number":"A-1"}')), "ambiguous"),
  row("a success that is not UTF-8", meeting(bytes(201, [...LATIN_1])), "ambiguous"),
  row("a success in UTF-16", meeting(bytes(201, [...UTF_16], "; charset=utf-16")), "ambiguous"),
  row("a truncated refusal", meeting(cut(400, '{"err')), "ambiguous"),
  row("a truncated refusal in chunks", meeting(chunked(400, '{"errors":[]}')), "ambiguous"),
  row("a refusal shorter than its JSON", meeting(shortened(400, '{"errors":[]}', 5)), "ambiguous"),
  row("half a status line", meeting(rawThenEnd("HTTP/1.1 20")), "ambiguous"),
  row("not HTTP", meeting(raw("220 mail ESMTP\r\n")), "ambiguous"),
  row("an unexpected 100 Continue", meeting(raw("HTTP/1.1 100 Continue\r\n\r\n")), "ambiguous"),
  row("an endless head", meeting(longHead), "ambiguous"),
  row("an endless body", meeting(endless, { maxReplyBytes: 10_000 }), "ambiguous"),
  row("HTTP 413", meeting(reply(413, "")), "rejected"),
  row("an unknown authority", meeting(created, { ca: "", timeouts: PATIENT }), "stop"),
  row("another host's certificate", meeting(created, { host: "other.example", timeouts: PATIENT }), "stop"),
  row("an expired certificate", meeting(created, { expired: true, timeouts: PATIENT }), "stop"),
  row("a server that supports only TLS 1.1", meeting(created, { maxVersion: "TLSv1.1", timeouts: PATIENT }), "stop"),
  row(
    "a base URL without TLS",
    () => refused(() => parseBaseUrl("http://platform.example/v1/", { allowInsecureLoopback: true })),
    "stop",
  ),
  ...[301, 302, 303, 307, 308].map((status) => {
    const redirect = meeting(reply(status, "", { location: "https://evil.example/" }));
    return row(`HTTP ${status}`, redirect, status === 303 ? "ambiguous" : "stop");
  }),
  row("a web page instead of JSON", meeting(reply(200, "<html>", HTML)), "ambiguous"),
  row("HTTP 204", meeting(raw("HTTP/1.1 204 No Content\r\n\r\n")), "ambiguous"),
  row("a connection of 256 kbit/s", meeting(created, proxied({ bytesPerSecond: 32_000 })), "accepted"),
  row("a temporary partition", healed, "accepted", "ambiguous", "never sent", "accepted"),
  row(
    "replies in any order",
    severalMeeting((number) => after(20 * (5 - number), number % 2 === 0 ? created : problems), 4),
    "accepted",
    "accepted",
    "rejected",
    "rejected",
  ),
  row("400 with reasons", meeting(problems), "rejected"),
  row("400 with a meaningless body", meeting(reply(400, '{"errors":[{"attr":"__proto__.x"}]}')), "rejected"),
  row("400 with invalid JSON", meeting(reply(400, '{"errors":[{"attr":"__proto__.x"}')), "ambiguous"),
  row("400 with a web page", meeting(reply(400, "<html>", HTML)), "rejected"),
  row("401, and a new token", rotated, "accepted"),
  row("HTTP 403", meeting(reply(403, {})), "stop"),
  ...[404, 405, 415].map((status) => row(`HTTP ${status}`, meeting(reply(status, {})), "stop")),
  ...[421, 425, 429].map((status) => row(`HTTP ${status}`, meeting(reply(status, {})), "retry")),
  row("HTTP 408 after the complete request", meeting(reply(408, {})), "ambiguous"),
  row("HTTP 408 before the last byte of the request", timedOutEarly, "retry"),
  ...["0", "-1", "99999", "999999999999", "1e400", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"].map((when) =>
    row(`429 with Retry-After: ${when}`, meeting(reply(429, {}, { "retry-after": when })), "retry"),
  ),
  row("HTTP 409", meeting(reply(409, {})), "ambiguous"),
  ...[500, 502, 503, 504].map((status) => row(`HTTP ${status}`, meeting(reply(status, "")), "ambiguous")),
  row(
    "a paused import supplier",
    meeting(reply(400, { errors: [{ attr: null, code: "import_supplier_migration_not_ongoing" }] })),
    "blocked",
  ),
  row("the same key twice, and a huge number", meeting(reply(201, '{"number":1e400,"number":9}')), "accepted"),
  row("a next link on another host", () => nextLink("https://evil.example/v1/products/"), "stop"),
  row("a next link that leads to itself", () => nextLink("https://api.example.com/v1/products/"), "stop"),
];

const STALE = row(
  "a reused connection that is reset during the second request",
  async () => {
    const client = await before([created, resetSilently]);
    return [classOf(await client.send()), classOf(await client.send())];
  },
  "accepted",
  "ambiguous",
);

test.each([...TABLE, STALE])(
  "a fault is classified by the progress of the exchange: $what",
  async ({ produce, classes }) => {
    expect((await produce()).toSorted()).toEqual(classes.toSorted());
  },
);
