import { expect, test } from "vitest";
import { withDroppedFieldWarnings } from "../../../src/platform/import/import-client.ts";

const SENT = {
  name: "Ada",
  size: 1,
  address: { town: "Derby", flat: null },
  customers: [{ id: "1", code: "x" }, { id: "2" }],
};

function droppedFrom(echo: unknown, status = 200, wrap?: string): readonly string[] {
  const reply = { status, headers: {}, body: JSON.stringify(echo), complete: true, durationMs: 1 };
  const { replyClass } = withDroppedFieldWarnings({ replyClass: { kind: "accepted" } }, SENT, reply, wrap);
  return replyClass.kind === "accepted" ? (replyClass.warnings ?? []).map(({ attr }) => attr) : [];
}

test.each<[string, unknown, readonly string[]]>([
  ["an echo of all fields", SENT, []],
  ["a value in another notation, and an additional field", { ...SENT, size: "1.00", status: "ok" }, []],
  ["a missing field", { ...SENT, name: undefined }, ["name"]],
  [
    "missing nested fields",
    { ...SENT, address: {}, customers: [{ id: "1" }, { id: "2" }] },
    ["address.town", "address.flat", "customers.0.code"],
  ],
  ["a missing item", { ...SENT, customers: [{ id: "1", code: "x" }] }, ["customers.1"]],
  ["a missing object, reported once", { ...SENT, address: undefined }, ["address"]],
  ["an empty reply", {}, []],
  ["a reply with other fields", { status: "valid" }, []],
  ["a list", [], []],
])("finds the fields that are missing from the reply: %s", (_, echo, attrs) => {
  expect(droppedFrom(echo)).toEqual(attrs);
});

test("a 400 reply that accepts a dry run has no dropped fields", () => {
  expect(droppedFrom({ name: "Ada" }, 400)).toEqual([]);
});

test.each<[string, unknown]>([
  ["in the wrapper", { payload: { ...SENT, name: undefined } }],
  ["in the wrapper, next to other fields", { payload: { ...SENT, name: undefined }, task_params: {} }],
  ["without the wrapper", { ...SENT, name: undefined }],
])("finds the fields that are missing from a reply that repeats a wrapped payload %s", (_, echo) => {
  expect(droppedFrom(echo, 200, "payload")).toEqual(["name"]);
});
