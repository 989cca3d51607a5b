import { expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import { createAccountNumbers } from "../../src/upload/account-numbers.ts";

function accepted(account?: string): RequestResult {
  return { replyClass: { kind: "accepted", ...(account !== undefined && { account }) }, http: 201, durationMs: 1 };
}

test("an account number that another record was given makes a reply ambiguous", () => {
  const { check } = createAccountNumbers();
  expect(check(accepted("A-1"), 1)).toEqual(accepted("A-1"));
  expect(check(accepted("A-2"), 2)).toEqual(accepted("A-2"));
  expect(check(accepted("A-1"), 3).replyClass).toEqual({
    kind: "ambiguous",
    reason: "HTTP 201 with the account number of another record (record 1)",
    notFromApi: true,
  });
});

test("a record may be told its own account number twice, and replies may have none", () => {
  const { check } = createAccountNumbers();
  for (const result of [accepted("A-1"), accepted("A-1"), accepted(), accepted()]) {
    expect(check(result, 1)).toBe(result);
  }
  expect(check(accepted(), 2)).toEqual(accepted());
});

test("account numbers are remembered for the latest records, in flat memory", () => {
  const { check } = createAccountNumbers();
  for (let record = 1; record <= 10_001; record += 1) check(accepted(`A-${record}`), record);
  expect(check(accepted("A-1"), 20_000).replyClass.kind).toBe("accepted");
  expect(check(accepted("A-10001"), 20_001).replyClass.kind).toBe("ambiguous");
});
