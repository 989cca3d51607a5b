import { describe, expect, test } from "vitest";
import { definedMembers } from "../../../src/json/defined-members.ts";
import type { OutcomeRule } from "../../../src/contract/operations/operation.ts";
import { classifyReply } from "../../../src/platform/reply/classify-reply.ts";
import type { Classification } from "../../../src/platform/reply/reply-class.ts";
import type { HttpReply } from "../../../src/transport/http.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

interface Given {
  readonly rules?: readonly OutcomeRule[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly complete?: boolean;
  readonly isEarly?: boolean;
  readonly isMisencoded?: boolean;
  readonly wrap?: string;
  readonly path?: string;
}

function judge(
  status: number,
  body: unknown,
  { rules = [], headers = {}, complete = true, wrap, path = "/data-import/accounts/", ...more }: Given = {},
): Classification {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply: HttpReply = {
    status,
    body: text,
    complete,
    headers: { "content-type": "application/json", ...headers },
    durationMs: 1,
    ...more,
  };
  return classifyReply(reply, { path, outcomes: rules, ...definedMembers({ wrap }) }, NOW);
}

const HTML = { headers: { "content-type": "text/html; charset=utf-8" } };

describe("a reply without contract rules", () => {
  test.each<[string, number, unknown, Given, object]>([
    ["201 with the account", 201, { account_number: "A-1" }, {}, { kind: "accepted", account: "A-1" }],
    [
      "200 with the other name of the account number",
      200,
      { kraken_account_number: "A-2" },
      {},
      { kind: "accepted", account: "A-2" },
    ],
    ["an account number that is a JSON number", 201, { number: 12 }, {}, { kind: "accepted", account: "12" }],
    ["a long account number", 201, '{"number":90071992547409931}', {}, { account: "90071992547409931" }],
    ["an account number with an exponent", 201, '{"number":1e2}', {}, { account: "100" }],
    ["a fractional account number", 201, '{"number":12.50}', {}, { account: "12.5" }],
    ["200 {}", 200, {}, {}, { kind: "accepted" }],
    ["201 with a list", 201, [{ status: "NOTE_CREATION_SUCCESS" }], {}, { kind: "accepted" }],
    ["201 without a body", 201, "", {}, { kind: "accepted" }],
    ["201 truncated", 201, '{"acc', { complete: false }, { kind: "ambiguous", notFromApi: false }],
    ["201 truncated after its JSON", 201, { account_number: "A-1" }, { complete: false }, { kind: "ambiguous" }],
    ["201 truncated before its body", 201, "", { complete: false }, { kind: "ambiguous" }],
    ["201 with incomplete JSON", 201, '{"account_number":"A-1"', {}, { kind: "ambiguous", notFromApi: true }],
    ["201 that is not UTF-8", 201, { account_number: "A-1" }, { isMisencoded: true }, { kind: "ambiguous" }],
    ["200 without a body", 200, "", {}, { kind: "ambiguous", notFromApi: true }],
    ["204", 204, "", {}, { kind: "ambiguous", notFromApi: true }],
    ["200 with a login page", 200, "<html>", HTML, { kind: "ambiguous", notFromApi: true }],
    ["a truncated login page", 200, "<ht", { ...HTML, complete: false }, { kind: "ambiguous", notFromApi: true }],
    ["200 with a JSON string", 200, '"ok"', {}, { kind: "ambiguous", notFromApi: true }],
    [
      "301",
      301,
      "",
      { headers: { location: "https://evil.example/?token=1" } },
      { kind: "stop", failure: { code: "redirect" } },
    ],
    ["303, which leads to the result of the request", 303, "", {}, { kind: "ambiguous", notFromApi: true }],
    ["308", 308, "", {}, { kind: "stop", failure: { code: "redirect" } }],
    [
      "400",
      400,
      { errors: [{ attr: "a", code: "blank", detail: "" }] },
      {},
      { kind: "rejected", problems: [{ attr: "a", code: "blank" }] },
    ],
    ["400 with a web page", 400, "<html>", HTML, { kind: "rejected", problems: [{ code: "unreadable_reply" }] }],
    ["400 truncated", 400, '{"err', { complete: false }, { kind: "ambiguous", notFromApi: false }],
    ["400 with incomplete JSON", 400, '{"errors":[{', {}, { kind: "ambiguous", notFromApi: true }],
    ["400 that is not UTF-8", 400, { detail: "no" }, { isMisencoded: true }, { kind: "ambiguous" }],
    ["400 without a body", 400, "", {}, { kind: "rejected", problems: [{ code: "unreadable_reply" }] }],
    ["429 truncated", 429, '{"det', { complete: false }, { kind: "retry" }],
    ["413 truncated", 413, "", { complete: false }, { kind: "rejected" }],
    ["422", 422, { name: ["no"] }, {}, { kind: "rejected", problems: [{ attr: "name" }] }],
    ["401", 401, { detail: "no" }, {}, { kind: "unauthorised" }],
    ["403 that means 401", 403, { detail: "no", code: "authentication_failed" }, {}, { kind: "unauthorised" }],
    ["431", 431, "", {}, { kind: "stop", failure: { code: "platform_refused" } }],
    ["403", 403, { detail: "no" }, {}, { kind: "stop", failure: { code: "platform_refused" } }],
    ["404", 404, "<html>", HTML, { kind: "stop", failure: { code: "wrong_endpoint" } }],
    [
      "404 of an operation whose path names the record's account",
      404,
      { detail: "Not found." },
      { path: "/data-import/accounts/{number}/debts/{ledger}/" },
      {
        kind: "stop",
        failure: {
          hint: expect.stringMatching(/the record's number, ledger\. If a 404 .* \{ status: 404, outcome: rejected \}/),
        },
      },
    ],
    ["405", 405, {}, {}, { kind: "stop", failure: { code: "wrong_endpoint" } }],
    ["415", 415, {}, {}, { kind: "stop", failure: { code: "wrong_endpoint" } }],
    ["408", 408, "", {}, { kind: "ambiguous", notFromApi: false }],
    ["408 before the request was sent completely", 408, "", { isEarly: true }, { kind: "retry" }],
    ["421", 421, "", {}, { kind: "retry" }],
    ["425", 425, "", {}, { kind: "retry" }],
    ["409", 409, {}, {}, { kind: "ambiguous", notFromApi: false }],
    ["500", 500, "<html>", HTML, { kind: "ambiguous", notFromApi: false }],
    ["502", 502, "", {}, { kind: "ambiguous" }],
    ["503", 503, "", {}, { kind: "ambiguous" }],
    ["504", 504, "", {}, { kind: "ambiguous" }],
    [
      "supplier closed",
      400,
      { detail: "x", code: "import_supplier_migration_not_ongoing" },
      {},
      { kind: "blocked", problems: [{ code: "import_supplier_migration_not_ongoing" }] },
    ],
    [
      "supplier closed, among errors",
      400,
      {
        code: "account_failed_validation",
        errors: [{ attr: "import_supplier", code: "import_supplier_migration_not_ongoing", detail: "" }],
      },
      {},
      { kind: "blocked" },
    ],
  ])("has the expected class: %s", (...[, status, body, given, verdict]) => {
    expect(judge(status, body, given).replyClass).toMatchObject(verdict);
  });

  test("does not reveal the query of a redirect", () => {
    const { replyClass } = judge(302, "", { headers: { location: "https://evil.example/x?token=secret" } });
    expect(replyClass).toHaveProperty("failure.message", expect.stringContaining("https://evil.example/x"));
    expect(replyClass).not.toHaveProperty("failure.message", expect.stringContaining("secret"));
  });
});

/** The longest time that a timer supports. */
const LONGEST_WAIT_MS = 2_147_483_647;

describe("Retry-After:", () => {
  test.each([
    ["0", 0],
    ["120", 120_000],
    ["99999", 99_999_000],
    ["Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["999999999", LONGEST_WAIT_MS],
    ["999999999999", LONGEST_WAIT_MS],
    ["9".repeat(400), LONGEST_WAIT_MS],
    ["Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT_MS],
    ["-1", undefined],
    ["-999999999999", undefined],
    ["+5", undefined],
    ["1.5", undefined],
    ["1e400", undefined],
    ["0x10", undefined],
    ["soon", undefined],
    ["Never, really", undefined],
    ["", undefined],
  ])("%j is a delay of %s ms", (header, afterMs) => {
    const { replyClass, pushBack } = judge(429, {}, { headers: { "retry-after": header } });
    expect(pushBack).toEqual({ reason: "HTTP 429", ...(afterMs === undefined ? {} : { afterMs }) });
    expect(replyClass).toEqual({ kind: "retry", reason: "HTTP 429", ...(afterMs === undefined ? {} : { afterMs }) });
  });

  test.each([
    ["a day behind", "Sun, 22 Nov 2026 12:00:00 GMT", "Sun, 22 Nov 2026 12:00:30 GMT", 30_000],
    ["a day ahead", "Fri, 20 Nov 2026 12:00:00 GMT", "Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
    ["correct, and the platform sends no valid date", "once", "Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
  ])(
    "a date is relative to the platform's clock or, if unknown, to the local clock, which is %s",
    (_, date, until, afterMs) => {
      expect(judge(429, {}, { headers: { date, "retry-after": until } }).pushBack).toMatchObject({ afterMs });
    },
  );

  test.each([408, 421, 425])("a %i reply with Retry-After delays every request", (status) => {
    const pushBack = { reason: `HTTP ${status}`, afterMs: 7_000 };
    expect(judge(status, {}, { headers: { "retry-after": "7" } }).pushBack).toEqual(pushBack);
    expect(judge(status, {}).pushBack).toBeUndefined();
  });

  test("503 counts as push-back regardless of the record's outcome", () => {
    expect(judge(503, "", { headers: { "retry-after": "7" } })).toMatchObject({
      replyClass: { kind: "ambiguous" },
      pushBack: { reason: "HTTP 503", afterMs: 7_000 },
    });
    expect(judge(500, "").pushBack).toBeUndefined();
  });
});

describe("x-migrate-outcomes determines the outcome of a reply:", () => {
  test("the problems of a 2xx refusal have attrs without the field that wraps the payload", () => {
    const refusal: Given = { rules: [{ status: 202, outcome: "rejected" }], wrap: "payload" };
    const { replyClass } = judge(202, { payload: { name: ["blank"] } }, refusal);
    expect(replyClass).toMatchObject({ kind: "rejected", problems: [{ attr: "name" }] });
  });

  const rules: readonly OutcomeRule[] = [
    { status: 400, code: "account_import_process_already_imported", outcome: "accepted", account: ["account_id"] },
    { status: 400, has: ["kraken_account_number"], outcome: "accepted" },
    { status: 400, code: "400", outcome: "accepted" },
    { status: 201, has: ["latest_error"], outcome: "rejected" },
    { status: 503, outcome: "retry" },
    { status: "5xx", code: "vendor", outcome: "retry" },
    { status: 409, outcome: "blocked" },
    { status: "2xx", outcome: "accepted" },
  ];

  test.each<[string, number, unknown, Given, object]>([
    [
      "a code in a nested object",
      400,
      { non_field_errors: { detail: "x", code: "account_import_process_already_imported" }, account_id: "A-9" },
      {},
      { kind: "accepted", account: "A-9" },
    ],
    [
      "a member with a value",
      400,
      { kraken_account_number: "A-8", non_field_errors: ["x"] },
      {},
      { kind: "accepted", account: "A-8" },
    ],
    ["an empty member", 400, { kraken_account_number: "", non_field_errors: ["x"] }, {}, { kind: "rejected" }],
    ["a code that is a number", 400, { detail: "Rolled back", code: 400 }, {}, { kind: "accepted" }],
    ["a dry run's 400", 400, { detail: "Rolled back", code: "400" }, {}, { kind: "accepted" }],
    [
      "a 2xx that is a refusal",
      201,
      { latest_error: { detail: "no", code: "bad" } },
      {},
      { kind: "rejected", problems: [{ code: "bad" }] },
    ],
    ["a null member", 201, { latest_error: null }, {}, { kind: "accepted" }],
    ["503 as retry", 503, "", { headers: { "retry-after": "2" } }, { kind: "retry", afterMs: 2_000 }],
    ["5xx by code", 500, { code: "vendor", detail: "x" }, {}, { kind: "retry" }],
    ["5xx without that code", 500, { code: "other", detail: "x" }, {}, { kind: "ambiguous" }],
    ["204 by class", 204, "", {}, { kind: "accepted" }],
    ["no rule accepts a web page", 200, "<html>", HTML, { kind: "ambiguous", notFromApi: true }],
    [
      "a truncated body that a rule would have matched",
      201,
      '{"lat',
      { complete: false },
      { kind: "ambiguous", notFromApi: false },
    ],
    ["408 as retry", 408, "", { rules: [{ status: 408, outcome: "retry" }] }, { kind: "retry" }],
    ["blocked", 409, { detail: "x", code: "busy" }, {}, { kind: "blocked", problems: [{ code: "busy" }] }],
  ])("%s", (...[, status, body, given, verdict]) => {
    expect(judge(status, body, { rules, ...given }).replyClass).toMatchObject(verdict);
  });
});

test("a success without the member that a rule requires is ambiguous (it used to be accepted)", () => {
  const rules: readonly OutcomeRule[] = [{ status: "2xx", has: ["account", "number"], outcome: "accepted" }];
  const kindOf = (status: number, body: unknown, others: readonly OutcomeRule[] = []): string =>
    judge(status, body, { rules: [...rules, ...others] }).replyClass.kind;
  expect(kindOf(201, { account: { number: "A-1" } })).toBe("accepted");
  for (const body of [{}, { account: { number: "" } }, { account: { number: null } }, { account_number: "A-1" }]) {
    expect(kindOf(201, body)).toBe("ambiguous");
    expect(kindOf(201, body, [{ status: 201, outcome: "accepted" }])).toBe("accepted");
  }
  expect(judge(202, {}, { rules }).replyClass).toMatchObject({
    reason: 'HTTP 202 without "account.number"',
    notFromApi: true,
  });
});

describe("a refusal of a repeat", () => {
  const rules: readonly OutcomeRule[] = [
    { status: 400, code: "account_already_imported", outcome: "accepted" },
    { status: 400, code: "blank", outcome: "rejected" },
    { status: 400, has: ["reasons"], outcome: "rejected" },
    { status: 400, outcome: "rejected" },
    { status: 404, outcome: "rejected" },
  ];

  test.each<[string, number, unknown, readonly OutcomeRule[], boolean]>([
    ["a code that a rule names", 400, { detail: "x", code: "blank" }, rules, true],
    ["a member that a rule names", 400, { reasons: ["no"] }, rules, true],
    ["a status that a rule names", 400, { detail: "is already being processed" }, rules, false],
    ["a 404 that a rule names", 404, { detail: "nothing is staged" }, rules, false],
    ["no rule", 400, { errors: [{ attr: "a", code: "blank", detail: "" }] }, [], false],
  ])("is final only if the contract names its code or a member: %s", (...[, status, body, outcomes, isFinal]) => {
    const { replyClass } = judge(status, body, { rules: outcomes });
    expect(replyClass.kind === "rejected" && (replyClass.isFinal ?? false)).toBe(isFinal);
    expect(replyClass.kind).toBe("rejected");
  });

  test("with a truncated body is ambiguous (its status alone used to reject an existing account)", () => {
    const { replyClass } = judge(400, '{"detail":"The account has', { rules, complete: false });
    expect(replyClass).toEqual({
      kind: "ambiguous",
      reason: "HTTP 400 with a truncated body",
      notFromApi: false,
    });
  });
});
