import { describe, expect, test } from "vitest";
import { API_KEY, HOUR, refusal, tokenPlatform, withRefresh } from "./token-platform.ts";

describe("a refresh token", () => {
  test("obtains the next token and the next refresh token", async () => {
    const { authorisation, logins, pass } = tokenPlatform(withRefresh);
    const held = authorisation();
    await held.header();
    pass(HOUR);
    await held.refused(await held.header());
    expect(logins.map(({ variables }) => variables)).toEqual([
      { apiKey: API_KEY },
      { refreshToken: "refresh-1" },
      { refreshToken: "refresh-2" },
    ]);
    expect(logins[1]?.query).toBe(
      "mutation ObtainServiceToken($refreshToken: String!) { ObtainServiceToken(input: { refreshToken: $refreshToken }) { token } }",
    );
  });

  test("is used again if the reply contains no new refresh token", async () => {
    const { authorisation, logins } = tokenPlatform({
      otherFields: (number) => (number === 1 ? { refreshToken: "refresh-1" } : {}),
    });
    const held = authorisation();
    for (let turn = 0; turn < 3; turn += 1) {
      const header = await held.header();
      held.accepted(header);
      await held.refused(header);
    }
    expect(logins.flatMap(({ variables }) => Object.keys(variables))).toEqual([
      "apiKey",
      "refreshToken",
      "refreshToken",
      "refreshToken",
    ]);
  });

  test.each(["KT-CT-1134", "KT-CT-1135", "KT-CT-1125"])(
    "that is refused (%s) is replaced once, with the key",
    async (code) => {
      const { authorisation, logins, answerNext } = tokenPlatform(withRefresh);
      const held = authorisation();
      const header = await held.header();
      answerNext(refusal(code));
      await Promise.all(Array.from({ length: 16 }, () => held.refused(header)));
      expect(await held.header()).toBe("Token token-2");
      expect(logins.map(({ variables }) => Object.keys(variables)[0])).toEqual(["apiKey", "refreshToken", "apiKey"]);
    },
  );

  test("ends the run after two requests if the key is also refused", async () => {
    const { authorisation, logins, answerNext } = tokenPlatform(withRefresh);
    const held = authorisation();
    const header = await held.header();
    answerNext(refusal("KT-CT-1135"), refusal("KT-CT-1139"));
    await expect(held.refused(header)).rejects.toMatchObject({ code: "authentication" });
    await expect(held.header()).rejects.toMatchObject({ code: "authentication" });
    expect(logins).toHaveLength(3);
  });

  test("that has expired is not used", async () => {
    const { authorisation, logins, pass } = tokenPlatform(withRefresh);
    const held = authorisation();
    await held.header();
    pass(8 * 86_400);
    await held.header();
    expect(logins.map(({ variables }) => Object.keys(variables)[0])).toEqual(["apiKey", "apiKey"]);
  });

  test("is not replaced by the key when the platform limits logins", async () => {
    const { authorisation, logins, answerNext } = tokenPlatform(withRefresh);
    const held = authorisation();
    const header = await held.header();
    answerNext(refusal("KT-CT-1199"));
    await expect(held.refused(header)).rejects.toMatchObject({ message: expect.stringContaining("KT-CT-1199") });
    expect(logins).toHaveLength(2);
  });
});
