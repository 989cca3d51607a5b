import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Authorisation, sendAuthorised } from "../../../src/platform/auth/authorisation.ts";
import { jsonReply } from "../json-reply.ts";
import { HOUR, lost, refusal, type TokenPlatformOptions, tokenPlatform, webToken } from "./token-platform.ts";

/** Waits until pending background work has finished. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

/** Returns the distinct headers that sixteen concurrent workers receive. */
async function sixteen(authorisation: Authorisation): Promise<readonly string[]> {
  return [...new Set(await Promise.all(Array.from({ length: 16 }, () => authorisation.header())))];
}

const inPayload: TokenPlatformOptions = { otherFields: (_, now) => ({ payload: { exp: now + HOUR } }) };

describe("a token with a known expiry", () => {
  test.each([
    ["the reply's payload", inPayload],
    ["the token's own claim", { token: (number, now) => webToken({ exp: now + HOUR, number }) }],
    [
      "the token's own claims, if the platform sends no date",
      { date: false, token: (number, now) => webToken({ exp: now + HOUR, iat: now, number }) },
    ],
    ["the payload, and the local clock", { ...inPayload, date: false }],
  ] satisfies readonly (readonly [string, TokenPlatformOptions])[])(
    "from %s is renewed once before it expires, while the old token remains in use",
    async (_, options) => {
      const { authorisation, logins, pass } = tokenPlatform(options);
      const held = authorisation();
      const [first = ""] = await sixteen(held);
      pass(HOUR - 302);
      expect(await sixteen(held)).toEqual([first]);
      expect(logins).toHaveLength(1);
      pass(2);
      expect(await sixteen(held)).toEqual([first]);
      await settled();
      const [second = "", ...others] = await sixteen(held);
      expect([second === first, others]).toEqual([false, []]);
      expect(logins).toHaveLength(2);
    },
  );

  test("is renewed when a fifth of its lifetime is left, if its lifetime is short", async () => {
    const { authorisation, logins, pass } = tokenPlatform({
      otherFields: (_, now) => ({ payload: { exp: now + 11 } }),
    });
    const held = authorisation();
    await held.header();
    pass(7.9);
    await held.header();
    await settled();
    expect(logins).toHaveLength(1);
    pass(0.2);
    await held.header();
    await settled();
    expect(logins).toHaveLength(2);
  });

  test("is not used after its expiry, and all workers then wait for the same new token", async () => {
    const { authorisation, logins, pass } = tokenPlatform(inPayload);
    const held = authorisation();
    await held.header();
    pass(2 * HOUR);
    expect(await sixteen(held)).toEqual(["Token token-2"]);
    expect(logins).toHaveLength(2);
  });

  test("is renewed at the same time regardless of the local clock's error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -400_000_000, max: 400_000_000 }), async (skew) => {
        const { authorisation, logins, pass } = tokenPlatform({ ...inPayload, skew });
        const held = authorisation();
        await held.header();
        pass(HOUR - 302);
        await held.header();
        await settled();
        expect(logins).toHaveLength(1);
        pass(2);
        await held.header();
        await settled();
        expect(logins).toHaveLength(2);
      }),
      { numRuns: 40 },
    );
  });

  test("is renewed at the same time even if the local clock jumps by days in the meantime", async () => {
    const { authorisation, logins, pass, clock } = tokenPlatform(inPayload);
    let setBy = 0;
    const held = authorisation({ clock: { ...clock, now: () => clock.now() + setBy } });
    await held.header();
    for (const days of [1, -2]) {
      setBy += days * 24 * HOUR * 1000;
      pass(HOUR / 2 - 151);
      await held.header();
      await settled();
      expect(logins).toHaveLength(1);
    }
    pass(2);
    await held.header();
    await settled();
    expect(logins).toHaveLength(2);
  });

  test.each([
    ["has already passed", (now: number) => now - 60],
    ["is not a number", () => "tomorrow"],
    ["is out of range", () => 1e300],
  ])("is treated as a token with an unknown expiry if the expiry %s", async (_, exp) => {
    const { authorisation, logins, pass } = tokenPlatform({
      otherFields: (__, now) => ({ payload: { exp: exp(now) } }),
    });
    const held = authorisation();
    for (let turn = 0; turn < 10; turn += 1) {
      expect(await held.header()).toBe("Token token-1");
      await settled();
      pass(1000);
    }
    expect(logins).toHaveLength(1);
  });

  test.each([
    ["there is no reply", lost("ECONNRESET")],
    ["the platform refuses more logins", refusal("KT-CT-1199")],
    ["the platform is down", jsonReply(503, {})],
  ])(
    "is used until its expiry if it cannot be renewed because %s, without another token request",
    async (_, answer) => {
      const { authorisation, logins, pass, answerNext } = tokenPlatform(inPayload);
      const held = authorisation();
      await held.header();
      answerNext(answer);
      pass(HOUR - 200);
      for (let turn = 0; turn < 10; turn += 1) {
        expect(await sixteen(held)).toEqual(["Token token-1"]);
        await settled();
        pass(10);
      }
      expect(logins).toHaveLength(2);
      pass(200);
      expect(await sixteen(held)).toEqual(["Token token-2"]);
      expect(logins).toHaveLength(3);
    },
  );
});

describe("a token that the platform refuses", () => {
  test("is renewed once for all refused requests, as is each token that replaces it", async () => {
    const { authorisation, logins } = tokenPlatform();
    const held = authorisation();
    for (const number of [1, 2, 3]) {
      const header = await held.header();
      expect(header).toBe(`Token token-${number}`);
      held.accepted(header);
      await Promise.all(Array.from({ length: 16 }, () => held.refused(header)));
      expect(logins).toHaveLength(number + 1);
    }
  });

  test("ends the run if its replacement is refused on first use: no third token is requested", async () => {
    const { authorisation, logins } = tokenPlatform();
    const held = authorisation();
    await held.refused(await held.header());
    const second = await held.header();
    for (let turn = 0; turn < 5; turn += 1) {
      await expect(held.refused(second)).rejects.toMatchObject({ code: "authentication", exitCode: 4 });
      await expect(held.header()).rejects.toMatchObject({ code: "authentication" });
    }
    expect(logins).toHaveLength(2);
  });

  test("is ignored if it has already been replaced", async () => {
    const { authorisation, logins } = tokenPlatform();
    const held = authorisation();
    const first = await held.header();
    await held.refused(first);
    await held.refused(first);
    expect(await held.header()).toBe("Token token-2");
    expect(logins).toHaveLength(2);
  });
});

test("a request whose second token expires while it waits is sent a third time, and the run continues", async () => {
  const { authorisation, logins } = tokenPlatform();
  const held = authorisation();
  const used: string[] = [];
  const status = await sendAuthorised(
    held,
    async (header) => {
      used.push(header);
      // While this request waits, other requests use the new token, and the token expires.
      held.accepted(header);
      return used.length < 3 ? 401 : 200;
    },
    (reply) => reply === 401,
  );
  expect([status, used]).toEqual([200, ["Token token-1", "Token token-2", "Token token-3"]]);
  expect(logins).toHaveLength(3);
});

test("a request refused with three tokens that work for other requests is not sent again", async () => {
  const { authorisation } = tokenPlatform();
  const held = authorisation();
  let sent = 0;
  const send = async (header: string): Promise<number> => {
    sent += 1;
    held.accepted(header);
    return 401;
  };
  expect(await sendAuthorised(held, send, (reply) => reply === 401)).toBe(401);
  expect(sent).toBe(3);
});
