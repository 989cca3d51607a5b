import fc from "fast-check";
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
    ["in full", KEY],
    ["as its first characters", KEY.slice(0, 8)],
    ["as its first characters, followed by other characters", `${KEY.slice(0, 20)}XYZ`],
    ["percent-encoded", encodeURIComponent(KEY)],
    [
      "percent-encoded in lower case",
      encodeURIComponent(KEY).toLowerCase().replace("sk_live%2b9f%2f8zq~example-key", "sk_live%2b9f%2f8Zq~Example-Key"),
    ],
    ["percent-encoded throughout", [...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join("")],
    ["in base64", base64(KEY)],
    ["in base64 with a colon, for basic authentication", base64(`${KEY}:`)],
    ["in base64 after one character", base64(`x${KEY}`)],
    ["in base64 after two characters", base64(`xy${KEY}tail`)],
    ["in hexadecimal", Buffer.from(KEY).toString("hex")],
    ["in URL-safe base64", Buffer.from(KEY).toString("base64url")],
  ])("%s", (_, echo) => {
    const text = mask.mask(`before ${echo} after`);
    expect(text).toMatch(/^before \S{0,3}\[masked\]\S{0,8} after$/);
  });

  test("wherever it occurs, and the rest of the text is unchanged", () => {
    expect(mask.mask(`a ${KEY}, b ${KEY.slice(0, 12)}; pa55word.`)).toBe("a [masked], b [masked]; [masked].");
    expect(mask.mask("sk_live is no secret, nor is pa55wor")).toBe("sk_live is no secret, nor is pa55wor");
  });

  test("if it is one of two tokens with a common prefix", () => {
    const two = createCredentialMask(["eyJhbGciOiJIUzI1NiJ9.first-payload", "eyJhbGciOiJIUzI1NiJ9.second-payload"]);
    expect(two.mask("eyJhbGciOiJIUzI1NiJ9.second-payload")).toBe("[masked]");
  });

  test("as soon as it is known, if it is a new token", () => {
    const later = createCredentialMask();
    expect(later.mask("token-00000001")).toBe("token-00000001");
    later.learn("token-00000001");
    expect(later.mask("token-00000001")).toBe("[masked]");
  });

  test("in headers and in the body, even if JSON escapes its characters", async () => {
    const escaped = Array.from(KEY, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join("");
    const body = `{"detail":"${escaped}","path":"\\/a\\\\u0041","code":"${KEY.replaceAll("/", "\\/")}"}`;
    const headers = { location: `https://x.example/${encodeURIComponent(KEY)}?q=${KEY}` };
    const http: Http = async () => ({ status: 400, headers, body, complete: true, durationMs: 1 });
    const reply = await maskingHttp(http, mask)({ method: "GET", url: new URL("https://x.example/"), headers: {} });
    expect(reply.headers).toEqual({ location: "https://x.example/[masked]?q=[masked]" });
    expect(JSON.parse(reply.body)).toEqual({ detail: "[masked]", path: String.raw`/a\u0041`, code: "[masked]" });
  });

  test("in headers, if the body does not contain it", async () => {
    const headers = { "x-request": KEY, "content-type": "application/json" };
    const http: Http = async () => ({ status: 400, headers, body: "{}", complete: true, durationMs: 1 });
    const reply = await maskingHttp(http, mask)({ method: "GET", url: new URL("https://x.example/"), headers: {} });
    expect(reply.headers).toEqual({ "x-request": "[masked]", "content-type": "application/json" });
  });
});

describe("a credential with escaped characters is masked completely", () => {
  const everyEntity = Array.from(KEY, (one) => `&#${one.charCodeAt(0)};`).join("");
  test.each([
    ["with HTML escapes", KEY.replace("+", "&#43;").replace("/", "&#x2F;")],
    ["with named references", KEY.replace("+", "&plus;").replace("/", "&sol;").replace("_", "&lowbar;")],
    ["escaped for HTML twice", KEY.replace("+", "&amp;#43;")],
    ["written entirely in character references", everyEntity],
    ["as JSON text with HTML escapes", KEY.replace("+", String.raw`\u0026#43;`)],
    ["percent-encoded twice", encodeURIComponent(encodeURIComponent(KEY))],
    ["with a slash that is escaped as in PHP", KEY.replace("/", String.raw`\/`)],
    ["as JSON within JSON", KEY.replace("+", String.raw`\\u002b`).replace("/", String.raw`\\/`)],
    ["over two lines", `${KEY.slice(0, 14)}\n  ${KEY.slice(14)}`],
    ["over two lines of a JSON text", `${KEY.slice(0, 5)}\\r\\n${KEY.slice(5)}`],
    ["with a zero-width space inside", `${KEY.slice(0, 3)}\u200b${KEY.slice(3)}`],
    ["with an escaped zero-width space inside", `${KEY.slice(0, 20)}\\u200b${KEY.slice(20)}`],
    ["with a Hangul filler inside", `${KEY.slice(0, 20)}\u3164${KEY.slice(20)}`],
    ["in lines of base64", base64(KEY).replaceAll(/(.{12})/g, "$1\n")],
    ["in percent-encoded base64", encodeURIComponent(base64(KEY))],
  ])("%s", (_, echo) => {
    expect(mask.mask(`{"detail":"<${echo}>"}`)).toMatch(/^\{"detail":"<\[masked\][^a-z]{0,8}>"\}$/);
  });

  test.each(UNSEEN)("with U+%s inside, for any escape", (code) => {
    const unseen = String.fromCodePoint(Number.parseInt(code, 16));
    const units = Array.from({ length: unseen.length }, (_, at) => unseen.charCodeAt(at).toString(16).padStart(4, "0"));
    const written = [
      unseen,
      encodeURIComponent(unseen),
      encodeURIComponent(encodeURIComponent(unseen)),
      `&#x${code};`,
      `&#${Number.parseInt(code, 16)};`,
      `&amp;#X0${code.toLowerCase()};`,
      units.map((unit) => `\\u${unit}`).join(""),
      units.map((unit) => `\\\\u${unit.toUpperCase()}`).join(""),
      `\\u{${code}}`,
    ];
    for (const one of written)
      expect(mask.mask(`<${KEY.slice(0, 5)}${one}${KEY.slice(5, 20)}${one}${KEY.slice(20)}>`)).toBe("<[masked]>");
  });

  test.each(["&shy;", "&zwj;", "&NoBreak;", "&Tab;", "&NewLine;", "&ensp;", "<br>", "<br/>", "<wbr>", "%0D%0A", "\\f"])(
    "with %j inside",
    (between) => {
      expect(mask.mask(`<${KEY.slice(0, 5)}${between}${KEY.slice(5)}>`)).toBe("<[masked]>");
    },
  );

  test.each([
    ["for HTML, then for a URL", encodeURIComponent(KEY.replace("+", "&#43;").replace("/", "&#x2F;"))],
    ["for a URL, with line breaks inside the escapes", encodeURIComponent(KEY).replaceAll(/.{4}/g, "$&\r\n")],
    ["for a URL, three times", encodeURIComponent(encodeURIComponent(encodeURIComponent(KEY)))],
    ["as JavaScript", Array.from(KEY, (one) => `\\x${hexOf(one)}`).join("")],
    ["as JavaScript with braces", Array.from(KEY, (one) => `\\u{${hexOf(one)}}`).join("")],
  ])("if it is escaped %s", (_, echo) => {
    expect(mask.mask(`<${echo}>`)).toBe("<[masked]>");
  });

  test("without breaking an escape of the surrounding JSON text", () => {
    for (const [secret, value] of [
      ["nabcdefgh", "\nabcdefgh"],
      ["0041BCDEFGH", "\u0001BCDEFGH".replace("\u0001", "A")],
      ["abcdefgh\\", 'abcdefgh"'],
    ] as const) {
      const json = JSON.stringify({ value }).replace("A", "\\u0041");
      expect(() => JSON.parse(createCredentialMask([secret]).mask(json))).not.toThrow();
    }
  });

  const printable = fc.string({ minLength: 8, maxLength: 60, unit: fc.constantFrom(...CHARACTERS) });
  const escapes: readonly ((one: string) => string)[] = [
    (one) => one,
    (one) => `%${hexOf(one).padStart(2, "0")}`,
    (one) => `%25${hexOf(one).padStart(2, "0").toUpperCase()}`,
    (one) => `&#${codeOf(one)};`,
    (one) => `&#x${hexOf(one)};`,
    (one) => `&amp;#X00${hexOf(one).toUpperCase()};`,
    (one) => `\\u${hexOf(one).padStart(4, "0")}`,
    (one) => `\\\\u${hexOf(one).padStart(4, "0")}`,
    (one) => `\u200b${one}`,
    (one) => `\n ${one}`,
    (one) => `&nbsp;${one}`,
  ];

  test("for any escape of each character", () => {
    const places = fc.array(fc.nat(escapes.length - 1), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(printable, places, (secret, chosen) => {
        const echo = Array.from(secret, (one, at) => escapes[chosen[at] ?? 0]?.(one) ?? one).join("");
        const text = createCredentialMask([secret]).mask(`before (${echo.trimStart()}) after`);
        expect(text).toMatch(/^before \((?:\u200b|&nbsp;)?\[masked\]\) after$/);
      }),
      { numRuns: 500 },
    );
  });

  test("if it starts like an escape", () => {
    const secret = String.raw`a&b%c\test+e&f%g`;
    for (const escape of escapes) {
      const echo = Array.from(secret, (one) => (one === "a" ? one : escape(one))).join("");
      expect(createCredentialMask([secret]).mask(`(${echo})`)).toBe("([masked])");
    }
  });

  test("in linear time, in text that repeats its prefix", () => {
    const secret = "ab".repeat(4000);
    const text = `${"ab".repeat(500_000)}${"a ".repeat(200_000)}`;
    expect(createCredentialMask([secret]).mask(text)).not.toContain("abab");
  });

  test.each(["\\", "%25", "&amp;", "<br", "%E2%80", "\\u"])("in linear time, in text with many %j", (part) => {
    const text = part.repeat(300_000 / part.length);
    expect(mask.mask(`${text} ${KEY}`)).toBe(`${text} [masked]`);
  });

  test("but not as part of a word if it is short", () => {
    const short = createCredentialMask(["test"]);
    expect(short.mask("the latest tones: la test, t e&#115;t, te&#115;t")).toBe(
      "the la[masked] tones: la [masked], t e&#115;t, [masked]",
    );
    expect(createCredentialMask(["my pass"]).mask("mypass my pass")).toBe("[masked] [masked]");
  });
});

/** Control characters, spaces, format characters and other invisible characters. */
const UNSEEN = (
  "00 08 09 0A 0B 0C 0D 1B 20 7F 85 9B A0 AD 34F 61C 115F 1160 17B4 180B 180E 2003 200B 200D 2028 202E 2060 2061 2066 " +
  "206F 2800 3000 3164 FE0F FEFF FFA0 FFF9 1D173 E0020 E0100"
).split(" ");

/** The printable ASCII characters that do not start an escape. */
const CHARACTERS = Array.from({ length: 94 }, (_, at) => String.fromCodePoint(33 + at)).filter(
  (one) => !["&", "%", "\\"].includes(one),
);

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function hexOf(character: string): string {
  return codeOf(character).toString(16);
}
