import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { replyProblems } from "../../../src/platform/reply/reply-problems.ts";

function brief(body: unknown, wrap?: string): readonly string[] {
  return replyProblems(body, wrap).map(({ attr, code, detail }) => `${attr} | ${code} | ${detail}`);
}

describe("the body of an error", () => {
  test.each<[string, unknown, readonly string[]]>([
    [
      "errors, as specified",
      {
        detail: "Could not validate account data.",
        code: "account_failed_validation",
        errors: [
          { detail: "abcde is not a valid phone number", code: "invalid_phone_number", attr: "customers.0.landline" },
          { detail: "Malformed request.", code: "parse_error", attr: null },
        ],
      },
      [
        "customers.0.landline | invalid_phone_number | abcde is not a valid phone number",
        "non_field_errors | parse_error | Malformed request.",
      ],
    ],
    [
      "no errors, a summary",
      { detail: "No.", code: "account_failed_validation", errors: [] },
      ["non_field_errors | account_failed_validation | No."],
    ],
    [
      "nested dictionaries with indexes as keys",
      { customers: { "0": { landline: ["not a phone", "too short"] } }, billing_address: { postcode: ["required"] } },
      [
        "customers.0.landline | unspecified | not a phone",
        "customers.0.landline | unspecified | too short",
        "billing_address.postcode | unspecified | required",
      ],
    ],
    [
      "located messages of FastAPI",
      {
        detail: [
          { type: "missing", loc: ["body", "customers", 0, "mobile"], msg: "Field required", input: { name: "Al" } },
          { type: "string_type", loc: ["body"], msg: "Input should be a valid string", input: 1 },
          { type: "missing", loc: ["header", "x-tenant"], msg: "Field required", input: null },
          { type: "int_parsing", loc: ["query", "mode"], msg: "Input should be a valid integer", input: "a" },
        ],
      },
      [
        "customers.0.mobile | missing | Field required",
        "non_field_errors | string_type | Input should be a valid string",
        "parameters.x-tenant | missing | Field required",
        "parameters.mode | int_parsing | Input should be a valid integer",
      ],
    ],
    [
      "located messages of Pydantic in errors, and a field that is called like a part of a request",
      { code: "invalid", errors: [{ type: "value_error", loc: ["path"], msg: "No.", ctx: { error: {} } }] },
      ["path | value_error | No."],
    ],
    [
      "lists with empty placeholders",
      { customers: [{}, { landline: ["no"] }] },
      ["customers.1.landline | unspecified | no"],
    ],
    [
      "a list at the root",
      [{}, { code: ["no"] }, "odd"],
      ["1.code | unspecified | no", "non_field_errors | unspecified | odd"],
    ],
    [
      "already imported: echoes are not problems",
      { external_account_number: "EXT-1", kraken_account_number: "A-1", non_field_errors: ["already imported"] },
      ["non_field_errors | unspecified | already imported"],
    ],
    [
      "already imported, newer",
      {
        non_field_errors: { detail: "already imported", code: "account_import_process_already_imported" },
        account_id: "A-1",
      },
      ["non_field_errors | account_import_process_already_imported | already imported"],
    ],
    [
      "an object's own errors",
      { customers: { "0": { non_field_errors: ["odd"] } } },
      ["customers.0.non_field_errors | unspecified | odd"],
    ],
    ["detail and code", { code: "not_found", detail: "Gone", domain: "x" }, ["non_field_errors | not_found | Gone"]],
    ["detail alone", { detail: "Not found." }, ["non_field_errors | unspecified | Not found."]],
    [
      "a field named detail",
      { detail: ["This field is required."] },
      ["detail | unspecified | This field is required."],
    ],
    ["error_detail", { error_detail: "No", reference: "R" }, ["non_field_errors | unspecified | No"]],
    [
      "error_detail with a status",
      { status: "TRANSACTION_IMPORT_ERROR", error_detail: "No", transaction_data: { amount: "1" } },
      ["non_field_errors | TRANSACTION_IMPORT_ERROR | No"],
    ],
    ["error", { error: "Server Error (500)" }, ["non_field_errors | unspecified | Server Error (500)"]],
    ["errors as a dictionary", { errors: { name: ["no"] } }, ["name | unspecified | no"]],
    [
      "errors with a message instead of a detail",
      { errors: [{ attr: "name", code: "taken", message: "It is taken." }] },
      ["name | taken | It is taken."],
    ],
    ["a message alone", { message: "It is closed." }, ["non_field_errors | unspecified | It is closed."]],
    ["a message next to messages of fields", { message: "No.", name: ["no"] }, ["name | unspecified | no"]],
    ["a code that is a number", { code: 4021, detail: "No." }, ["non_field_errors | 4021 | No."]],
    ["the status of the reply as a code", { code: 400, detail: "No." }, ["non_field_errors | unspecified | No."]],
  ])("has the expected problems: %s", (_, body, expected) => {
    expect(brief(body)).toEqual(expected);
  });

  test.each([[undefined], [null], [{}], [[]], ["text"], [12], [{ a: { b: "echo" } }]])(
    "has one problem if the reply is unreadable: %j",
    (body) => {
      expect(brief(body)).toEqual(["non_field_errors | unreadable_reply | a reply without a readable reason"]);
    },
  );

  test("names the status of an unreadable reply", () => {
    expect(replyProblems(undefined, undefined, 404)).toMatchObject([
      { code: "unreadable_reply", detail: "HTTP 404 without a readable reason" },
    ]);
  });

  test("has attrs without the field that wraps the payload", () => {
    const errors = [
      { attr: "payload.name", code: "blank", detail: "" },
      { attr: "payload", code: "required", detail: "" },
      { attr: "payload_2", code: "x", detail: "" },
    ];
    expect(brief({ errors }, "payload")).toEqual([
      "name | blank | ",
      "non_field_errors | required | ",
      "payload_2 | x | ",
    ]);
    expect(brief({ payload: { customers: { "0": ["no"] } } }, "payload")).toEqual(["customers.0 | unspecified | no"]);
  });
});

describe("a refusal with an untrusted body", () => {
  test("has a limited number of problems of limited length", () => {
    const errors = Array.from({ length: 10_000 }, () => ({
      attr: "a".repeat(9_999),
      code: "c".repeat(999),
      detail: "d".repeat(99_999),
    }));
    const problems = replyProblems({ errors });
    expect(problems).toHaveLength(1_000);
    expect(problems[0]?.attr.length).toBeLessThanOrEqual(300);
    expect(problems[0]?.code.length).toBeLessThanOrEqual(100);
    expect(problems[0]?.detail.length).toBeLessThanOrEqual(500);
  });

  test("has problems without control characters, escapes or direction marks", () => {
    const detail = "red \u001B[31m bell \u0007 nl \r\n rtl \u202E zero \u200B end\u2028";
    const [problem] = replyProblems({ errors: [{ attr: "a\u001B.b\n", code: "x\u0000y", detail }] });
    expect(`${problem?.attr}${problem?.code}${problem?.detail}`).not.toMatch(/[\p{C}\u2028\u2029]/u);
  });

  test("keeps dangerous names as plain names", () => {
    const body: unknown = JSON.parse('{"__proto__":{"polluted":["x"]},"constructor":{"prototype":["y"]}}');
    expect(brief(body)).toEqual(["__proto__.polluted | unspecified | x", "constructor.prototype | unspecified | y"]);
    expect({}).not.toHaveProperty("polluted");
  });

  test("has one problem if it is nested too deeply", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(5_000)}["x"]${"}".repeat(5_000)}`);
    expect(brief(deep)).toEqual([expect.stringContaining("unreadable_reply")]);
  });

  test("has at least one complete problem for any body", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ errors: fc.jsonValue(), detail: fc.jsonValue() })), (body) => {
        const problems = replyProblems(body);
        expect(problems.length).toBeGreaterThan(0);
        for (const { attr, code, detail } of problems) {
          expect(attr).not.toBe("");
          expect(code).not.toBe("");
          expect(detail).toBeTypeOf("string");
        }
      }),
    );
  });
});
