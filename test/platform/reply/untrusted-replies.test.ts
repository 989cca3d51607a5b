import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";
import type { Classification } from "../../../src/platform/reply/reply-class.ts";
import { locateProblems } from "../../../src/upload/locate-problems.ts";
import { scaledTimeout } from "../../scaled-timeout.ts";

const KINDS: ReadonlySet<string> = new Set([
  "accepted",
  "rejected",
  "blocked",
  "retry",
  "ambiguous",
  "unauthorised",
  "stop",
]);
const OPERATION = { path: "/data-import/accounts/", outcomes: [], wrap: "payload" };

function judge(status: number, body: string, type = "application/json", complete = true): Classification {
  const headers = { "content-type": type };
  return classifyReply({ status, body, headers, complete, durationMs: 1 }, OPERATION, 0);
}

function problemsOf({ replyClass }: Classification): readonly { attr: string; code: string; detail: string }[] {
  return "problems" in replyClass ? (replyClass.problems ?? []) : [];
}

/** Returns the guarantees that a classification violates. They apply to the classification of every reply. */
function brokenPromises(judgement: Classification): readonly string[] {
  const problems = problemsOf(judgement);
  const broken = problems.flatMap(({ attr, code, detail }) => [
    ...(attr === "" || code === "" ? ["an empty attr or code"] : []),
    ...(attr.length > 300 || code.length > 100 || detail.length > 500 ? ["too long"] : []),
    ...(/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(`${attr}${code}${detail}`) ? ["control characters"] : []),
  ]);
  return [
    ...(KINDS.has(judgement.replyClass.kind) ? [] : [`verdict ${judgement.replyClass.kind}`]),
    ...(problems.length > 1_000 ? ["too many"] : []),
    ...(Object.keys(Object.prototype).length > 0 ? ["a prototype with members"] : []),
    ...broken,
  ];
}

const status = fc.constantFrom(200, 201, 202, 204, 301, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504);
const name = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "errors", "detail", "code", "attr", "status", "error"),
  fc.constantFrom("error_detail", "non_field_errors", "results", "payload", "0", "toString", "hasOwnProperty", ""),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const leaf = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("a\u0000b", "\u001B[2J", "\u202Eabc", "\uD800", "TRANSACTION_IMPORT_ERROR", "customers.0.__proto__"),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { hostile } = fc.letrec((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 6, depthSize: "medium" },
    leaf,
    fc.array(tie("hostile"), { maxLength: 6 }),
    fc.array(fc.tuple(name, tie("hostile")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

describe("every reply is classified safely:", () => {
  test("any JSON, malicious names and strings", () => {
    fc.assert(
      fc.property(status, hostile, (code, body) => {
        expect(brokenPromises(judge(code, JSON.stringify(body) ?? ""))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test("JSON truncated anywhere", () => {
    fc.assert(
      fc.property(status, hostile, fc.nat(), (code, body, at) => {
        const text = JSON.stringify(body) ?? "";
        expect(brokenPromises(judge(code, text.slice(0, at % (text.length + 1)), "application/json", false))).toEqual(
          [],
        );
      }),
      { numRuns: 200 },
    );
  });

  test("bytes in any encoding, with any content type", () => {
    const type = fc.constantFrom(
      "application/json",
      "text/html",
      "text/plain; charset=utf-16",
      "",
      "application/json; x",
    );
    fc.assert(
      fc.property(status, fc.uint8Array({ maxLength: 200 }), type, (code, bytes, contentType) => {
        expect(brokenPromises(judge(code, Buffer.from(bytes).toString("utf8"), contentType))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("`__proto__` as a name, in an attr, and as a member of a value", () => {
    const body = '{"__proto__":{"polluted":["x"]},"errors":[{"attr":"__proto__.polluted","code":"x","detail":"y"}]}';
    const judgement = judge(400, body);
    expect(brokenPromises(judgement)).toEqual([]);
    const { replyClass } = judgement;
    const problems = replyClass.kind === "rejected" ? replyClass.problems : [];
    const placed = locateProblems(problems, { payload: { a: "1" }, locate: () => undefined });
    expect(placed[0]).toMatchObject({ attr: "__proto__.polluted", code: "x" });
    expect(placed[0]).not.toHaveProperty("shape");
    expect({}).not.toHaveProperty("polluted");
  });
});

const MEBIBYTE = 1024 * 1024;
const payload = { customers: Array.from({ length: 5_000 }, (_, index) => ({ name: `Customer number ${index}` })) };

describe("a reply of 1 MiB is classified in limited time:", () => {
  const errors = Array.from({ length: 9_000 }, (_, index) => ({ attr: `customers.${index}`, code: "x", detail: "no" }));
  const whole = Array.from({ length: 9_000 }, () => ({ attr: null, code: "x", detail: "Customer number 3 is wrong" }));
  test.each<[string, string]>([
    ["thousands of errors", JSON.stringify({ errors })],
    ["thousands of errors about the whole payload", JSON.stringify({ errors: whole })],
    ["lists in lists", "[".repeat(MEBIBYTE / 2) + "]".repeat(MEBIBYTE / 2)],
    ["objects in objects", `${'{"a":'.repeat(150_000)}["x"]${"}".repeat(150_000)}`],
    ["one long name with many messages", JSON.stringify({ ["n".repeat(MEBIBYTE / 2)]: { a: Array(9_000).fill("x") } })],
    ["one long string", JSON.stringify({ detail: "\u0007d".repeat(MEBIBYTE / 4) })],
    ["an attr of many parts", JSON.stringify({ errors: [{ attr: Array(200_000).fill("a"), code: "x", detail: "y" }] })],
    [
      "a list of failed items",
      JSON.stringify({ results: Array.from({ length: 20_000 }, () => ({ status: "X_ERROR" })) }),
    ],
    ["a wide and deep list", `[${`[${`[${'{"a":["x"]},'.repeat(30)}0],`.repeat(30)}0],`.repeat(30)}0]`],
  ])("%s", (_, body) => {
    const began = performance.now();
    for (const code of [200, 400]) {
      const judgement = judge(code, body.slice(0, MEBIBYTE));
      expect(brokenPromises(judgement)).toEqual([]);
      const { replyClass } = judgement;
      const problems = replyClass.kind === "rejected" ? replyClass.problems : [];
      const located = locateProblems(problems, { payload, locate: () => undefined });
      expect(located.length).toBeLessThanOrEqual(200);
      expect(located.reduce((sum, { unlisted = 0 }) => sum + 1 + unlisted, 0)).toBe(problems.length);
    }
    expect(performance.now() - began).toBeLessThan(scaledTimeout(30_000));
  });
});

test("the wording of a reply's detail does not affect its classification", () => {
  const words = fc.oneof(
    fc.constantFrom(
      "already imported",
      "import_supplier_migration_not_ongoing",
      "throttled",
      "Rolled back due to Dry Run",
    ),
    fc.string(),
  );
  const codes = fc.constantFrom("blank", "import_supplier_migration_not_ongoing", "not_authenticated");
  fc.assert(
    fc.property(status, codes, words, words, (http, code, one, other) => {
      const said = (detail: string): Classification => judge(http, JSON.stringify({ code, detail, errors: [] }));
      expect(said(one).replyClass.kind).toBe(said(other).replyClass.kind);
    }),
  );
});
