import { describe, expect, test } from "vitest";
import type { Http } from "../../src/transport/http.ts";
import { createCredentialMask, maskingHttp } from "../../src/transport/masking-http.ts";

const KEY = "sk_live+9f/8Zq~Example-Key-0123456789";
const mask = createCredentialMask([KEY, "pa55word"]);

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

describe("a credential that a server repeats is masked", () => {
  test.each([
    ["whole", KEY],
    ["its beginning", KEY.slice(0, 8)],
    ["its beginning, and something else", `${KEY.slice(0, 20)}XYZ`],
    ["percent-encoded", encodeURIComponent(KEY)],
    [
      "percent-encoded in small letters",
      encodeURIComponent(KEY).toLowerCase().replace("sk_live%2b9f%2f8zq~example-key", "sk_live%2b9f%2f8Zq~Example-Key"),
    ],
    ["percent-encoded throughout", [...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join("")],
    ["in base64", base64(KEY)],
    ["in base64 with a colon, as for basic authentication", base64(`${KEY}:`)],
    ["in base64 behind one character", base64(`x${KEY}`)],
    ["in base64 behind two characters", base64(`xy${KEY}tail`)],
    ["in hexadecimal", Buffer.from(KEY).toString("hex")],
    ["in base64 for addresses", Buffer.from(KEY).toString("base64url")],
  ])("%s", (_, echo) => {
    const text = mask.mask(`before ${echo} after`);
    expect(text).toMatch(/^before \S{0,3}\[masked\]\S{0,8} after$/);
  });

  test("wherever it occurs, and whatever else is there stays", () => {
    expect(mask.mask(`a ${KEY}, b ${KEY.slice(0, 12)}; pa55word.`)).toBe("a [masked], b [masked]; [masked].");
    expect(mask.mask("sk_live is no secret, nor is pa55wor")).toBe("sk_live is no secret, nor is pa55wor");
  });

  test("one of two tokens that begin alike", () => {
    const two = createCredentialMask(["eyJhbGciOiJIUzI1NiJ9.first-payload", "eyJhbGciOiJIUzI1NiJ9.second-payload"]);
    expect(two.mask("eyJhbGciOiJIUzI1NiJ9.second-payload")).toBe("[masked]");
  });

  test("a new token as soon as it is known", () => {
    const later = createCredentialMask();
    expect(later.mask("token-00000001")).toBe("token-00000001");
    later.learn("token-00000001");
    expect(later.mask("token-00000001")).toBe("[masked]");
  });

  test("in headers and in the body, also where JSON escapes its characters", async () => {
    const escaped = Array.from(KEY, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join("");
    const body = `{"detail":"${escaped}","path":"\\/a\\\\u0041","code":"${KEY.replaceAll("/", "\\/")}"}`;
    const headers = { location: `https://x.example/${encodeURIComponent(KEY)}?q=${KEY}` };
    const http: Http = async () => ({ status: 400, headers, body, complete: true, durationMs: 1 });
    const reply = await maskingHttp(http, mask)({ method: "GET", url: new URL("https://x.example/"), headers: {} });
    expect(reply.headers).toEqual({ location: "https://x.example/[masked]?q=[masked]" });
    expect(JSON.parse(reply.body)).toEqual({ detail: "[masked]", path: String.raw`/a\u0041`, code: "[masked]" });
  });
});
