import { describe, expect, test } from "vitest";
import { readAccount } from "../../../src/platform/reading/read-client.ts";
import type { Authorisation } from "../../../src/platform/auth/authorisation.ts";
import { productPages } from "../../../src/platform/reading/product-list.ts";
import { type HttpReply, TransportError } from "../../../src/transport/http.ts";
import { fakeReads, listOf } from "./fake-reads.ts";
import { jsonReply } from "../json-reply.ts";

const ACCOUNT = jsonReply(200, { number: "A-1" });
const HTML = { "content-type": "text/html" };
const firstPage = (reads: ReturnType<typeof fakeReads>): Promise<unknown> => productPages(reads.client).next();

function lost(code: string, phase: "unsent" | "sent" = "sent"): TransportError {
  return new TransportError(phase, "lost", { code, durationMs: 1 });
}

function thrown(error: Error): HttpReply {
  throw error;
}

function timeout(): HttpReply {
  return thrown(new TransportError("unsent", "timeout", { code: "UND_ERR_CONNECT_TIMEOUT", durationMs: 10_000 }));
}

describe("a read", () => {
  test.each([
    ["429 with Retry-After", jsonReply(429, {}, { "retry-after": "7" }), 7000],
    ["503", jsonReply(503, {}), 250],
    ["500", jsonReply(500, {}), 250],
    ["an incomplete reply", { ...ACCOUNT, complete: false }, 250],
  ])("is repeated after %s", async (_name, fault, wait) => {
    const reads = fakeReads((_url, number) => (number === 1 ? fault : ACCOUNT));
    expect(await readAccount(reads.client, "A-1")).toMatchObject({ record: { number: "A-1" } });
    expect([reads.asked.length, reads.waits]).toEqual([2, [wait]]);
  });

  test.each([{ number: " A-1 " }, { number: 7 }, {}])("accepts an account that the reply calls %j", async (record) => {
    const reads = fakeReads(() => jsonReply(200, record));
    expect(await readAccount(reads.client, "A-1")).toMatchObject({ record });
  });

  test("is repeated after a broken connection", async () => {
    const reads = fakeReads((_url, number) => (number === 1 ? thrown(lost("ECONNRESET")) : ACCOUNT));
    await readAccount(reads.client, "A-1");
    expect(reads.asked).toHaveLength(2);
  });

  test.each([
    ["a platform that is down", () => jsonReply(503, {}), "platform_unreachable", 5],
    ["a network that is down", () => thrown(lost("ECONNREFUSED", "unsent")), "platform_unreachable", 5],
    ["an unknown host name", () => thrown(lost("ENOTFOUND", "unsent")), "usage", 1],
    ["a wait longer than the limit", () => jsonReply(429, {}, { "retry-after": "3600" }), "platform_unreachable", 1],
    ["an untrusted certificate", () => thrown(lost("DEPTH_ZERO_SELF_SIGNED_CERT", "unsent")), "tls", 1],
    ["a redirect", () => jsonReply(302, {}, { location: "https://login.example.com/A-1" }), "redirect", 1],
    ["a web page", () => ({ ...ACCOUNT, headers: HTML }), "wrong_endpoint", 1],
    ["an empty body", () => ({ ...ACCOUNT, body: "" }), "wrong_endpoint", 1],
    ["another account", () => jsonReply(200, { number: "A-2" }), "wrong_endpoint", 1],
    ["an incomplete reply", () => ({ ...ACCOUNT, complete: false }), "wrong_endpoint", 5],
    ["an incomplete 404", () => ({ ...jsonReply(404, {}), complete: false }), "wrong_endpoint", 5],
    ["a 404 with truncated JSON", () => ({ ...jsonReply(404, {}), body: '{"detail":"No A-1' }), "wrong_endpoint", 1],
    ["404", () => jsonReply(404, { detail: "No A-1." }), "not_found", 1],
    ["a 404 of a gateway", () => jsonReply(404, { message: "no Route matched" }), "wrong_endpoint", 1],
    ["a 404 in plain text", () => ({ ...jsonReply(404, {}), headers: {}, body: "no page A-1" }), "wrong_endpoint", 1],
    ["an empty 404", () => ({ ...jsonReply(404, {}), body: "" }), "wrong_endpoint", 1],
    ["a web page with status 404", () => ({ ...jsonReply(404, {}), headers: HTML }), "wrong_endpoint", 1],
    ["403", () => jsonReply(403, { detail: "No A-1." }), "platform_refused", 1],
    ["431", () => jsonReply(431, {}), "platform_refused", 1],
    ["401", () => jsonReply(401, { detail: "No A-1." }), "authentication", 1],
    ["400", () => jsonReply(400, { detail: "No A-1." }), "wrong_endpoint", 1],
    ["204", () => jsonReply(204, {}), "wrong_endpoint", 1],
  ])("fails after %s, and the failure never names the account", async (_name, answer, code, requests) => {
    const reads = fakeReads(answer);
    const failure: unknown = await readAccount(reads.client, "A-1").catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "Failure", code });
    expect(JSON.stringify([failure, String(failure)])).not.toContain("A-1");
    expect(reads.asked).toHaveLength(requests);
  });

  test("fails after two connection timeouts if the address was never reached, and otherwise after five", async () => {
    const never = fakeReads(timeout);
    await expect(readAccount(never.client, "A-1")).rejects.toMatchObject({
      code: "platform_unreachable",
      message: expect.stringMatching(/^cannot reach https:\/\/\S+: it does not answer \(UND_ERR_CONNECT_TIMEOUT\)$/),
    });
    expect(never.asked).toHaveLength(2);
    const once = fakeReads((_url, number) => (number === 1 ? ACCOUNT : timeout()));
    await readAccount(once.client, "A-1");
    await expect(readAccount(once.client, "A-1")).rejects.toMatchObject({ code: "platform_unreachable" });
    expect(once.asked).toHaveLength(6);
  });

  test("shows the platform's reasons when it refuses the query", async () => {
    const errors = [{ attr: "brand", code: "invalid", detail: "No \u001b[31msuch brand." }];
    const reads = fakeReads(() => jsonReply(400, { detail: "d", code: "invalid", errors }));
    await expect(firstPage(reads)).rejects.toMatchObject({
      code: "usage",
      message: "the platform refuses the query for the list of products: brand: No  [31msuch brand.",
    });
  });

  test("ends when its signal is aborted", async () => {
    const stop = new AbortController();
    const reads = fakeReads(() => thrown((stop.abort(), lost("ABORTED"))), { signal: stop.signal });
    await expect(firstPage(reads)).rejects.toMatchObject({ code: "incomplete", exitCode: 3 });
    expect(reads.asked).toHaveLength(1);
  });

  test("of public data is sent without credentials", async () => {
    const reads = fakeReads(() => listOf([], null));
    await firstPage(reads);
    expect(Object.keys(reads.asked[0]?.headers ?? {}).toSorted()).toEqual(["accept", "user-agent"]);
  });
});

/** Creates an authorisation that issues a new token after each refusal: 1, 2, ... */
function tokens(): { readonly authorisation: Authorisation; readonly refused: readonly string[] } {
  const refused: string[] = [];
  return {
    refused,
    authorisation: {
      header: async () => `Token ${refused.length + 1}`,
      accepted: () => undefined,
      mayHaveExpired: () => false,
      refused: async (header) => void refused.push(header),
    },
  };
}

describe("an account", () => {
  test("is read with a token that is renewed once", async () => {
    const { authorisation, refused } = tokens();
    const reads = fakeReads(
      (_url, _number, { headers }) => (headers["authorization"] === "Token 1" ? jsonReply(401, {}) : ACCOUNT),
      { authorisation },
    );
    await readAccount(reads.client, "A-1");
    expect(refused).toEqual(["Token 1"]);
    expect(reads.asked.map(({ headers }) => headers["authorization"])).toEqual(["Token 1", "Token 2"]);
  });

  test("is read even if the reply to the first token request is truncated", async () => {
    const { authorisation } = tokens();
    const cutOff = lost("UNREADABLE_TOKEN_REPLY", "unsent");
    const ends: (TransportError | undefined)[] = [cutOff, undefined, cutOff];
    const header = async (): Promise<string> => {
      const end = ends.shift();
      if (end !== undefined) throw end;
      return authorisation.header();
    };
    const reads = fakeReads(() => ACCOUNT, { authorisation: { ...authorisation, header } });
    await readAccount(reads.client, "A-1");
    await readAccount(reads.client, "A-1");
    expect(reads.asked).toHaveLength(2);
  });

  test("is not read if five token requests fail", async () => {
    let tries = 0;
    const header = (): Promise<string> => {
      tries += 1;
      return Promise.reject(lost("HTTP_500", "unsent"));
    };
    const reads = fakeReads(() => ACCOUNT, { authorisation: { ...tokens().authorisation, header } });
    await expect(readAccount(reads.client, "A-1")).rejects.toMatchObject({ code: "platform_unreachable" });
    expect(tries).toBe(5);
  });

  test("is not requested a third time if a new token is also refused", async () => {
    const { authorisation } = tokens();
    const reads = fakeReads(() => jsonReply(403, { code: "authentication_failed" }), { authorisation });
    await expect(readAccount(reads.client, "A-1")).rejects.toMatchObject({ code: "authentication", exitCode: 4 });
    expect(reads.asked).toHaveLength(2);
  });

  test.each([
    ["A/../../x?y#z", "/v1/accounts/A%2F..%2F..%2Fx%3Fy%23z/"],
    ["%2e%2e", "/v1/accounts/%252e%252e/"],
    ["A 1é", "/v1/accounts/A%201%C3%A9/"],
    ["\\..\\", "/v1/accounts/%5C..%5C/"],
  ])("is requested with its number as one path segment: %s", async (number, path) => {
    const reads = fakeReads(() => jsonReply(200, { number }));
    await readAccount(reads.client, number);
    expect(reads.asked[0]?.url.href).toBe(`https://api.example.com${path}`);
  });

  test.each(["", ".", "..", "\ud800"])("is refused without a request if its number is %j", async (number) => {
    const reads = fakeReads(() => ACCOUNT);
    await expect(readAccount(reads.client, number)).rejects.toMatchObject({ code: "usage" });
    expect(reads.asked).toHaveLength(0);
  });

  test("keeps every member and digit that the platform sends", async () => {
    const body = '{ "number": "A-1", "balance": 12345678901234567890.10, "__proto__": {"x": 1} }';
    const read = await readAccount(fakeReads(() => ({ ...ACCOUNT, body })).client, "A-1");
    expect(read.json).toBe('{"number":"A-1","balance":12345678901234567890.10,"__proto__":{"x":1}}');
    expect(read.record["balance"]).toBe("12345678901234567890.10");
    expect(Object.getPrototypeOf(read.record)).toBe(Object.prototype);
  });
});
