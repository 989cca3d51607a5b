import { describe, expect, test } from "vitest";
import { fetchToken } from "../../../src/platform/auth/login.ts";
import { TransportError } from "../../../src/transport/http.ts";
import { jsonReply } from "../json-reply.ts";
import { API_KEY, lost, refusal, tokenPlatform, withRefresh } from "./token-platform.ts";

describe("a login", () => {
  test.each(["KT-CT-1199", "KT-CT-1139"])("refused with %s is sent once and never again", async (code) => {
    const { authorisation, logins, answerNext, pass } = tokenPlatform();
    answerNext(refusal(code));
    const held = authorisation();
    for (let turn = 0; turn < 10; turn += 1) {
      const asked = Array.from({ length: 16 }, () => held.header());
      for (const header of asked) {
        await expect(header).rejects.toMatchObject({
          code: "authentication",
          exitCode: 4,
          message: expect.stringContaining(code),
        });
      }
      pass(600);
    }
    expect(logins).toHaveLength(1);
  });

  test("that fails temporarily is repeated with growing delays, which are at least as long as the platform requests", async () => {
    const { authorisation, logins, answerNext, pass } = tokenPlatform();
    answerNext(
      lost("ECONNREFUSED"),
      jsonReply(502, {}),
      jsonReply(429, {}, { "retry-after": "30" }),
      jsonReply(500, {}),
    );
    const held = authorisation();
    const askedAt: number[] = [];
    for (let tenth = 0; tenth < 1200 && logins.length < 5; tenth += 1) {
      const before = logins.length;
      await Promise.allSettled([held.header(), held.header()]);
      if (logins.length > before) askedAt.push(tenth / 10);
      pass(0.1);
    }
    const gaps = askedAt.slice(1).map((at, index) => Math.round(at - (askedAt[index] ?? 0)));
    expect(gaps).toEqual([1, 2, 30, 8]);
    expect(await held.header()).toBe("Token token-1");
  });

  test.each([
    ["ENOTFOUND", "usage", "its name is unknown (ENOTFOUND)"],
    ["ECONNREFUSED", "platform_unreachable", "it refuses the connection (ECONNREFUSED)"],
  ])("of a command that needs one token states the cause of %s", async (error, code, words) => {
    const { http, clock, answerNext } = tokenPlatform();
    answerNext(new TransportError("unsent", "lost", { code: error, durationMs: 1 }));
    const token = fetchToken(API_KEY, { http, clock, baseUrl: new URL("https://nope.invalid/v1/") });
    await expect(token).rejects.toMatchObject({ code, message: `cannot reach https://nope.invalid: ${words}` });
  });

  test("with a token that is longer than a header can be ends the run", async () => {
    const { authorisation } = tokenPlatform({ token: () => "t".repeat(20_000) });
    await expect(authorisation().header()).rejects.toMatchObject({
      code: "authentication",
      message: expect.stringContaining("its token is longer than 16 KiB"),
    });
  });

  test.each([5, "", "to\nken", { token: "t" }])(
    "whose token has an unexpected form ends the run, with a hint that does not mention the API key: %j",
    async (token) => {
      const { authorisation, answerNext } = tokenPlatform();
      answerNext(jsonReply(200, { data: { ObtainServiceToken: { token } } }));
      await expect(authorisation().header()).rejects.toMatchObject({
        code: "authentication",
        message: expect.stringContaining("has an unexpected form"),
        hint: expect.not.stringContaining("MIGRATE_API_KEY"),
      });
    },
  );

  test.each([
    ["is truncated", { ...jsonReply(200, {}), body: '{"data": {"ObtainServi', complete: false }],
    ["is a web page", { ...jsonReply(200, {}), body: "<html>", headers: { "content-type": "text/html" } }],
    ["is not JSON", { ...jsonReply(200, {}), body: "ok" }],
    ["is empty", { ...jsonReply(200, {}), body: "" }],
    ["is JSON without a GraphQL result", jsonReply(200, { error: "maintenance" })],
    ["is a refusal with a truncated body", { ...jsonReply(400, {}), body: '{"errors": [{"ext', complete: false }],
  ])(
    "whose reply %s is repeated, and fails after five such replies, with a hint that does not mention the API key",
    async (_, unreadable) => {
      const { authorisation, logins, answerNext, pass } = tokenPlatform();
      const held = authorisation();
      answerNext(unreadable);
      await expect(held.header()).rejects.toMatchObject({ phase: "unsent", code: "UNREADABLE_TOKEN_REPLY" });
      pass(1);
      expect(await held.header()).toBe("Token token-1");

      const withBadKey = authorisation();
      const failures: unknown[] = [];
      answerNext(...Array.from({ length: 5 }, () => unreadable));
      for (let second = 0; second < 60; second += 1) {
        failures.push(await withBadKey.header().catch((error: unknown) => error));
        pass(1);
      }
      expect(logins).toHaveLength(2 + 5);
      expect(failures.at(-1)).toMatchObject({
        code: "wrong_endpoint",
        message: expect.stringContaining("5 consecutive replies"),
        hint: expect.not.stringContaining("MIGRATE_API_KEY"),
      });
    },
  );

  test("with a refresh token is repeated with the same token after a truncated reply, and the run continues", async () => {
    const { authorisation, logins, answerNext, pass } = tokenPlatform(withRefresh);
    const held = authorisation();
    const header = await held.header();
    answerNext({ ...jsonReply(200, {}), body: '{"data": {"Obtain', complete: false });
    await expect(held.refused(header)).rejects.toMatchObject({ phase: "unsent" });
    pass(1);
    expect(await held.header()).toBe("Token token-2");
    expect(logins.map(({ variables }) => Object.keys(variables)[0])).toEqual([
      "apiKey",
      "refreshToken",
      "refreshToken",
    ]);
  });

  test("that fails reveals neither the key nor a token", async () => {
    const { authorisation, answerNext } = tokenPlatform(withRefresh);
    const held = authorisation();
    const header = await held.header();
    answerNext(
      refusal("KT-CT-1135"),
      jsonReply(200, { errors: [{ message: API_KEY, extensions: { errorCode: 7 } }], data: { echo: API_KEY } }),
    );
    const failure: unknown = await held.refused(header).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining("(HTTP 200)") });
    const said = allOf(failure);
    expect(said).toContain("authentication");
    for (const secret of [API_KEY, "refresh-1", "token-1"]) expect(said).not.toContain(secret);
  });
});

/** Returns the text of all properties of an error and of its causes. */
function allOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).filter((name) => name !== "cause");
  const texts = own.map((name) => String(Object.getOwnPropertyDescriptor(error, name)?.value));
  return [...texts, error.cause === undefined ? "" : allOf(error.cause)].join("\n");
}
