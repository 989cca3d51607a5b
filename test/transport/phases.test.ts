import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Failure } from "../../src/model/failure.ts";
import { classifyError } from "../../src/platform/reply/classify-error.ts";
import { TransportError } from "../../src/transport/http.ts";
import { createHttp } from "../../src/transport/http-client.ts";
import {
  type Action,
  type ChaosOptions,
  closeSilently,
  drip,
  raw,
  rawThenEnd,
  reply,
  resetSilently,
  neverAnswer,
  startChaosServer,
} from "../chaos-server.ts";
import { scene, SHORT } from "./scene.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The number of requests that undici reports as started. */
let written = 0;
const count = (): void => void (written += 1);
beforeEach(() => {
  written = 0;
  subscribe("undici:client:sendHeaders", count);
});
afterEach(() => void unsubscribe("undici:client:sendHeaders", count));

test("a request that is not allowed to start when its connection is ready is held back, and the next request gets the connection", async () => {
  let mayStart = false;
  const { post, server } = await scene(reply(201, "{}"), { mayStart: () => mayStart });
  expect(await post()).toMatchObject({ phase: "unsent", code: "HELD_BACK" });
  expect([written, server.requests.length]).toEqual([0, 0]);
  mayStart = true;
  expect(await post()).toMatchObject({ status: 201 });
  expect([written, server.requests.length]).toEqual([1, 1]);
});

test("a reply that begins with an unrequested 100 Continue is named as the reason for an unknown outcome", async () => {
  const { post } = await scene(raw("HTTP/1.1 100 Continue\r\n\r\n"));
  const error = await post();
  expect(error instanceof TransportError && classifyError(error, "https://localhost").replyClass).toMatchObject({
    kind: "ambiguous",
    reason: "unrequested HTTP 100 before the reply",
  });
});

describe("a request counts as sent without a usable reply if", () => {
  test.each<[string, Action, string]>([
    ["the connection is closed after the request", closeSilently, "UND_ERR_SOCKET"],
    ["the connection is reset after the request", resetSilently, "ECONNRESET"],
    ["the server does not reply", neverAnswer, "UND_ERR_HEADERS_TIMEOUT"],
    ["the reply is not HTTP", raw("220 mail.example.com ESMTP\r\n"), "HTTPParserError"],
    ["the reply is an unexpected 100 Continue", raw("HTTP/1.1 100 Continue\r\n\r\n"), "UND_ERR_SOCKET"],
  ])("%s", async (_, action, code) => {
    const { post, server } = await scene(action, { timeouts: SHORT });
    const error = await post();
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ code });
    expect(error).toHaveProperty("phase", expect.stringMatching(/sent|headers/));
    expect(error).not.toHaveProperty("phase", "unsent");
    expect(server.requests).toHaveLength(1);
    expect(written).toBe(1);
  });

  test("the reply is truncated in the middle of the header", async () => {
    const { post } = await scene(rawThenEnd("HTTP/1.1 201 Crea"));
    expect(await post()).toMatchObject({ phase: "headers", code: "UND_ERR_SOCKET" });
  });

  test("the header is endless", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `x-${index}: ${"y".repeat(20)}\r\n`).join("");
    const { post } = await scene(raw(`HTTP/1.1 201 Created\r\n${lines}`));
    expect(await post()).toMatchObject({ phase: "headers", code: "UND_ERR_HEADERS_OVERFLOW" });
  });

  test("a slow header exceeds the time limit of the whole request", async () => {
    const { post } = await scene(drip(`HTTP/1.1 201 Created\r\nx-slow: ${"y".repeat(500)}`, 20), {
      timeouts: { ...SHORT, headersMs: 10_000, totalMs: 2_000 },
    });
    expect(await post()).toMatchObject({ phase: "headers", code: "REQUEST_TIMEOUT" });
  });

  test("a reused connection is reset during the second request", async () => {
    const { post, server } = await scene([reply(200, {}), resetSilently]);
    expect(await post()).toMatchObject({ status: 200 });
    expect(await post()).toMatchObject({ phase: "sent", code: "ECONNRESET" });
    expect(server.requests).toHaveLength(2);
  });

  test("the caller aborts it while it is in flight", async () => {
    const controller = new AbortController();
    const { post } = await scene(() => controller.abort());
    expect(await post(undefined, controller.signal)).toMatchObject({ phase: "sent", code: "ABORTED" });
    expect(await post(undefined, controller.signal)).toMatchObject({ phase: "unsent", code: "ABORTED" });
  });
});

describe("a request counts as unsent if", () => {
  test("the connection is refused", async () => {
    const { post, server } = await scene(neverAnswer);
    await server.close();
    expect(await post()).toMatchObject({ phase: "unsent", code: "ECONNREFUSED" });
    expect(written).toBe(0);
  });

  test("the host does not exist", async () => {
    const { http, close } = createHttp({ origin: new URL("https://nope.invalid/v1/"), connections: 1 });
    cleanups.push(close);
    const sent = http({ method: "POST", url: new URL("https://nope.invalid/v1/x/"), headers: {}, body: "{}" });
    await expect(sent).rejects.toMatchObject({ phase: "unsent", code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
  });

  test("the TLS handshake stalls", async () => {
    const { post } = await scene(neverAnswer, { onConnection: () => false, timeouts: { ...SHORT, connectMs: 150 } });
    expect(await post()).toMatchObject({ phase: "unsent", code: "UND_ERR_CONNECT_TIMEOUT" });
    expect(written).toBe(0);
  });

  test.each<["end" | "resetAndDestroy"]>([["end"], ["resetAndDestroy"]])(
    "the server closes the connection on accept: %s",
    async (how) => {
      const { post } = await scene(neverAnswer, {
        onConnection: (socket) => {
          socket[how]();
          return false;
        },
      });
      expect(await post()).toMatchObject({ phase: "unsent", code: "ECONNRESET" });
      expect(written).toBe(0);
    },
  );

  test.each<[string, ChaosOptions & { ca?: string }, RegExp]>([
    ["an unknown authority", {}, /DEPTH_ZERO_SELF_SIGNED_CERT/],
    ["another host", { host: "other.example" }, /ERR_TLS_CERT_ALTNAME_INVALID/],
    ["expired", { expired: true }, /CERT_HAS_EXPIRED/],
    ["TLS 1.1", { maxVersion: "TLSv1.1" }, /ERR_SSL_|EPROTO/],
  ])("the certificate or the TLS version is rejected: %s", async (name, options, code) => {
    const server = await startChaosServer(() => reply(200, {}), options);
    const trusted = name === "an unknown authority" ? {} : { ca: server.ca };
    const client = createHttp({ origin: server.baseUrl, connections: 1, ...trusted });
    cleanups.push(
      () => client.close(),
      () => server.close(),
    );
    const sent = client.http({ method: "POST", url: server.baseUrl, headers: {}, body: "{}" });
    await expect(sent).rejects.toMatchObject({ phase: "unsent", code: expect.stringMatching(code) });
    expect(server.requests).toHaveLength(0);
  });

  test("the server requires a client certificate, which it checks after the handshake", async () => {
    const { post, server } = await scene(reply(200, {}), { requiresCertificate: true });
    const error = await post();
    expect(server.requests).toHaveLength(0);
    expect(error instanceof TransportError && classifyError(error, "https://localhost").replyClass).toMatchObject({
      kind: "stop",
      failure: { code: "tls", message: expect.stringContaining("requires a client certificate") },
    });
  });

  test("the certificate is rejected, even if the environment disables certificate checks", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const server = await startChaosServer(() => reply(200, {}));
      const client = createHttp({ origin: server.baseUrl, connections: 1 });
      cleanups.push(
        () => client.close(),
        () => server.close(),
      );
      const sent = client.http({ method: "POST", url: server.baseUrl, headers: {}, body: "{}" });
      await expect(sent).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });

  test("the caller aborts it while it waits for a connection (it is never sent afterwards)", async () => {
    const { post, server } = await scene(
      [(socket, request) => setTimeout(() => reply(200, {})(socket, request), 300), reply(200, {})],
      {
        timeouts: { ...SHORT, headersMs: 20_000 },
      },
    );
    const first = post();
    const controller = new AbortController();
    const second = post(undefined, controller.signal);
    controller.abort();
    expect(await second).toMatchObject({ phase: "unsent", code: "ABORTED" });
    expect(await first).toMatchObject({ status: 200 });
    expect(await post()).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(2);
  });

  test.each(["https://evil.example/v1/", "//evil.example/", "http://localhost/v1/", "https://localhost:1/v1/"])(
    "it is refused because it goes to the other origin %s",
    async (address) => {
      const { post, server } = await scene(reply(200, {}));
      await expect(post(address)).rejects.toSatisfy((error: Failure) => error.code === "redirect");
      expect(server.connections()).toBe(0);
    },
  );
});

test("every request ends as unsent when every connection fails under load", async () => {
  const closed = createServer();
  const port = await new Promise<number>((resolve) => {
    closed.listen(0, "127.0.0.1", () => {
      const address = closed.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => closed.close(resolve));
  const origin = new URL(`http://127.0.0.1:${port}/`);
  const { http, close } = createHttp({ origin, connections: 4, timeouts: SHORT });
  cleanups.push(close);
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => http({ method: "POST", url: origin, headers: {}, body: "{}" })),
  );
  expect(results.every((result) => result.status === "rejected" && result.reason.phase === "unsent")).toBe(true);
});
