import { describe, expect, test } from "vitest";
import type { ObjectType } from "../../../src/contract/types/field-type.ts";
import { choice, compile, decimal, failureOf, integer, list, object, rowOf, text, union } from "../rows.ts";

describe("unions:", () => {
  const debit = object({ "method!": choice("DEBIT"), "day!": integer, amount: decimal });
  const demand = object({ "method!": choice("DEMAND"), amount: integer, reminder: text });
  const options = new Map<string, ObjectType>([
    ["DEBIT", debit],
    ["DEMAND", demand],
  ]);
  const body = object({ payment: union([debit, demand], { property: "method", mapping: options }) });
  const payload = "payload: { payment: { method: M, day: D, amount: A, reminder: R } }";

  test("the mapped discriminator determines the types of the fields", () => {
    const mapping = compile(payload, body);
    expect(mapping.map(rowOf({ M: "DEBIT", D: "3", A: "10", R: "" })).payload).toEqual({
      payment: { method: "DEBIT", day: 3, amount: "10" },
    });
    expect(mapping.map(rowOf({ M: "DEMAND", D: "", A: "10", R: "r" })).payload).toEqual({
      payment: { method: "DEMAND", amount: 10, reminder: "r" },
    });
  });
  test("the discriminator may follow the fields that it determines", () => {
    const mapping = compile("payload: { payment: { amount: A, day: D, method: M } }", body);
    expect(mapping.map(rowOf({ M: "DEBIT", D: "3", A: "10" })).payload["payment"]).toMatchObject({ amount: "10" });
    expect(mapping.map(rowOf({ M: "DEMAND", D: "", A: "10" })).payload["payment"]).toMatchObject({ amount: 10 });
  });
  test("fields of an option that was not selected are sent, not dropped silently", () =>
    expect(compile(payload, body).map(rowOf({ M: "DEMAND", D: "3", A: "1", R: "" })).payload).toEqual({
      payment: { method: "DEMAND", day: 3, amount: 1 },
    }));
  test("with an unknown discriminator, each field is converted to a type that any option accepts", () =>
    expect(compile(payload, body).map(rowOf({ M: "?", D: "3", A: "1.5", R: "" })).payload).toEqual({
      payment: { method: "?", day: 3, amount: "1.5" },
    }));
  test("a constant discriminator selects its option when the mapping is compiled", () => {
    const constant = "payload: { payment: { method: { value: DEBIT }, day: D } }";
    expect(compile(constant, body).map(rowOf({ D: "3" })).payload).toEqual({ payment: { method: "DEBIT", day: 3 } });
    expect(compile(constant, body).map(rowOf({ D: "" })).payload).toEqual({});
    const failure = failureOf(() => compile("payload: { payment: { method: { value: DEBIT }, reminder: R } }", body));
    expect(failure.message).toContain("payload.payment.reminder: the contract has no such attr");
  });
  test("a lookup table may contain choices of several options", () => {
    const payment = object({ "type!": choice("PAYMENT"), way: choice("DEBIT", "BPAY") });
    const refund = object({ "type!": choice("REFUND"), way: choice("CREDIT", "BPAY") });
    const note = object({ "type!": choice("NOTE") });
    const types = new Map<string, ObjectType>([
      ["PAYMENT", payment],
      ["REFUND", refund],
      ["NOTE", note],
    ]);
    const entries = object({ entry: union([payment, refund, note], { property: "type", mapping: types }) });
    const mapping = compile(mappingWith("{ D: DEBIT, C: CREDIT, B: BPAY }"), entries);
    const entryOf = (type: string, way: string) => mapping.map(rowOf({ T: type, W: way })).payload["entry"];
    expect(entryOf("PAYMENT", "D")).toEqual({ type: "PAYMENT", way: "DEBIT" });
    expect(entryOf("REFUND", "C")).toEqual({ type: "REFUND", way: "CREDIT" });
    expect(entryOf("REFUND", "D")).toEqual({ type: "REFUND", way: "DEBIT" });
    expect(entryOf("NOTE", "")).toEqual({ type: "NOTE" });
    const failure = failureOf(() => compile(mappingWith("{ D: DEBIT, C: CREDITS }"), entries));
    expect(failure.message).toContain('the value for "C" is not one of the contract\'s choices');
  });
  test("an attr that exists in no option is rejected", () => {
    const failure = failureOf(() => compile("payload: { payment: { method: M, remindr: R } }", body));
    expect(failure.hint).toContain('did you mean "reminder"?');
  });
  test("without a discriminator, each field is converted to a type that any option accepts", () => {
    const loose = object({ payment: union([object({ amount: integer }), object({ amount: text })]) });
    const mapping = compile("payload: { payment: { amount: A } }", loose);
    expect(mapping.map(rowOf({ A: "3" })).payload).toEqual({ payment: { amount: 3 } });
    expect(mapping.map(rowOf({ A: "x" })).payload).toEqual({ payment: { amount: "x" } });
  });
  test("the form of the entry selects a scalar, an object or a list", () => {
    const mixed = object({ a: union([text, object({ value: text, note: text }), list(text)]) });
    const run = (entry: string) => compile(`payload: { a: ${entry} }`, mixed).map(rowOf({ A: "x" })).payload;
    expect(run("A")).toEqual({ a: "x" });
    expect(run("{ from: A, upper: true }")).toEqual({ a: "X" });
    expect(run("{ note: A }")).toEqual({ a: { note: "x" } });
    expect(run("[A, A]")).toEqual({ a: ["x", "x"] });
  });
});

function mappingWith(codes: string): string {
  return `payload: { entry: { type: T, way: { from: W, lookup: ${codes} } } }`;
}
