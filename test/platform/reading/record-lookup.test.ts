import { describe, expect, it } from "vitest";
import type { ReadBack } from "../../../src/contract/operations/operation.ts";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { Failure } from "../../../src/model/failure.ts";
import { comparedAttrs } from "../../../src/platform/reading/compare-content.ts";
import { type LookupResult, resultOfTwo } from "../../../src/platform/reading/lookup-result.ts";
import { lookUpRecords } from "../../../src/platform/reading/record-lookup.ts";
import {
  KEY,
  LIST,
  ONE,
  readBack,
  lookupOf,
  refOf,
  clientOf,
  look,
  UNREACHABLE,
  item,
  type Reply,
} from "./lookup-scene.ts";

describe("looking records up on the platform", () => {
  it("treats a record as absent only after two absences in a row", () => {
    const absent: LookupResult = { kind: "absent" };
    const inProgress: LookupResult = { kind: "unknown", reason: "processed", isInProgress: true };
    expect(resultOfTwo(absent, absent)).toBe(absent);
    for (const first of [inProgress, undefined]) expect(resultOfTwo(first, absent)).toMatchObject({ kind: "unknown" });
    expect(resultOfTwo(absent, inProgress)).toBe(inProgress);
  });

  it("finds thousands of records in one list, and requests single records only if they are not in the list", async () => {
    const records = Array.from({ length: 3000 }, (_, index) => lookupOf(`R${index}`));
    const items = records.slice(1).map(({ payload }) => ({ number: payload["ref"], account: `A-${refOf(payload)}` }));
    const { client, asked } = clientOf({ "S/": items });
    const seen = await lookUpRecords(records, [ONE, LIST], { client, key: KEY });
    expect(asked).toEqual(["S/", "S/R0/"]);
    expect(seen[0]).toEqual({ kind: "absent" });
    expect(seen[2999]).toEqual({
      kind: "found",
      account: "A-R2999",
      compared: [],
      values: new Map([["ref", "R2999"]]),
    });
  });

  it("finds a record whose key has whitespace around it, because the platform removes the whitespace", async () => {
    const replies = { "S/": [{ number: "R1", account: "A-1" }], "S/R2/": { name: "Ada", account: "A-2" } };
    const records = [lookupOf(" R1\u0085"), lookupOf("R2 ")];
    expect(await look(records, [LIST, ONE], replies)).toEqual([
      { kind: "found", account: "A-1" },
      { kind: "found", account: "A-2" },
    ]);
  });

  it("keeps every digit of a long account number, so that two accounts do not appear to be the same", async () => {
    const replies = {
      "S/R1/": '{"name":"Ada","account":9007199254740993}',
      "S/R2/": '{"name":"Ada","account":9007199254740992}',
    };
    expect(await look([lookupOf("R1"), lookupOf("R2")], [ONE], replies)).toEqual([
      { kind: "found", account: "9007199254740993" },
      { kind: "found", account: "9007199254740992" },
    ]);
  });

  it.each([
    ["absent", null],
    ["a dot segment", ".."],
    ["blank", " "],
  ])("sends no request, and reports no record as absent, if a path parameter is %s", async (_, supplier) => {
    const { client, asked } = clientOf({});
    const reason = 'the path parameter "supplier" (supplier) is missing, blank, "." or ".."';
    for (const readBacks of [[ONE], [LIST], [LIST, ONE]]) {
      const seen = await lookUpRecords([lookupOf("R1", { supplier })], readBacks, { client, key: KEY });
      expect(seen).toEqual([{ kind: "unknown", reason }]);
    }
    expect(asked).toEqual([]);
  });

  it("names the attrs with different values, and treats a number as equal to a string of its digits", async () => {
    const other = { "S/R1/": { name: "Grace", account: "A-1" } };
    expect(await look([lookupOf("R1")], [ONE], other)).toEqual([
      { kind: "different", attrs: ["name"], account: "A-1" },
    ]);
    expect(await look([lookupOf("R1", { name: "17" })], [ONE], { "S/R1/": { name: 17 } })).toEqual([{ kind: "found" }]);
    const lists = { "S/R1/": { name: [{ b: 1, a: "x" }] } };
    expect(await look([lookupOf("R1", { name: [{ a: "x", b: 1 }] })], [ONE], lists)).toEqual([{ kind: "found" }]);
  });

  it("returns the compared values as strings, whether or not they differ", async () => {
    const match = [
      { reply: ["name"], payload: ["name"] },
      { reply: ["owed"], payload: ["balance"] },
    ];
    const { client } = clientOf({ "S/R1/": { name: "Ada", owed: 12.5 } });
    const [seen] = await lookUpRecords([lookupOf("R1", { balance: "12.50" })], [{ ...ONE, match }], {
      client,
      key: KEY,
    });
    const values = new Map([
      ["name", "Ada"],
      ["balance", "12.5"],
    ]);
    expect(seen).toEqual({ kind: "different", attrs: ["balance"], compared: ["name", "balance"], values });
  });

  it("looks up a found record again if its content must be compared and another operation returns more attrs", async () => {
    const list = { "S/": [{ number: "R1", account: "A-1" }] };
    const needy = { ...lookupOf("R1"), needsContent: true };
    const equal = await lookUpRecords([needy], [ONE, LIST], {
      client: clientOf({ ...list, "S/R1/": { name: "Ada", account: "A-1" } }).client,
      key: KEY,
    });
    expect(equal).toMatchObject([{ kind: "found", account: "A-1", compared: ["name"] }]);
    const other = { ...list, "S/R1/": { name: "Grace", account: "A-1" } };
    expect(await look([needy], [ONE, LIST], other)).toEqual([{ kind: "different", attrs: ["name"], account: "A-1" }]);
    const twice = { ...list, "S/R1/": { name: "Ada", account: "A-2" } };
    expect(await look([needy], [ONE, LIST], twice)).toMatchObject([{ kind: "unknown" }]);
    expect(await look([needy], [ONE, LIST], { ...list, "S/R1/": UNREACHABLE })).toMatchObject([{ kind: "unknown" }]);
    // A record that one operation found counts as found.
    expect(await look([needy], [ONE, LIST], list)).toEqual([{ kind: "found", account: "A-1" }]);
  });

  it("names the attrs that it compared, except the key, parameters and values that are missing on both sides", async () => {
    const match = [
      { reply: ["number"], payload: ["ref"] },
      { reply: ["supplier"], payload: ["supplier"] },
      { reply: ["name"], payload: ["name"] },
      { reply: ["phone"], payload: ["phone"] },
    ];
    const all = { ...ONE, match };
    expect(comparedAttrs([all, LIST], KEY)).toEqual(["name", "phone"]);
    const { client } = clientOf({ "S/R1/": { number: "R1", supplier: "S", name: "Ada" } });
    const [seen] = await lookUpRecords([lookupOf("R1")], [all], { client, key: KEY });
    expect(seen).toMatchObject({ kind: "found", compared: ["name"] });
  });

  it("compares only the key of a record that was sent with different content", async () => {
    const replies = { "S/R1/": { name: "Grace" } };
    expect(await look([lookupOf("R1", {}, false)], [ONE], replies)).toEqual([{ kind: "found" }]);
  });

  it("treats a reply that lacks the required member as inconclusive", async () => {
    const has: ReadBack = { ...ONE, has: ["account"], match: [] };
    expect(await look([lookupOf("R1")], [has], { "S/R1/": { account: "" } })).toEqual([
      { kind: "unknown", reason: expect.stringContaining("without account"), isInProgress: true },
    ]);
    expect(await look([lookupOf("R1")], [has], { "S/R1/": { account: "A-1" } })).toEqual([
      { kind: "found", account: "A-1" },
    ]);
  });

  it("reports no record as absent while one of the operations fails", async () => {
    const unknown = [{ kind: "unknown", reason: expect.stringContaining("HTTP 502") }];
    expect(await look([lookupOf("R1")], [ONE, LIST], { "S/": UNREACHABLE })).toEqual(unknown);
    expect(await look([lookupOf("R1")], [ONE, LIST], { "S/": [], "S/R1/": UNREACHABLE })).toEqual(unknown);
    expect(await look([lookupOf("R1")], [ONE, LIST], {})).toMatchObject([{ kind: "unknown" }]);
  });

  it("ends after three consecutive failed requests, and immediately without credentials", async () => {
    const records = ["R1", "R2", "R3", "R4"].map((ref) => lookupOf(ref));
    const down = Object.fromEntries(records.map(({ payload }) => [`S/${refOf(payload)}/`, UNREACHABLE]));
    await expect(look(records, [ONE], down)).rejects.toBe(UNREACHABLE);
    const denied = new Failure("authentication", "the platform does not accept the credentials");
    await expect(look(records, [ONE], { "S/R1/": denied })).rejects.toBe(denied);
  });

  it.each<[string, Readonly<Record<string, Reply>>, ReadBack, string]>([
    [
      "two different account numbers",
      { "S/R1/": { name: "Ada", account: "A-1", account_number: "A-2" } },
      ONE,
      "two different account",
    ],
    [
      "two different account numbers in an item",
      { "S/": [{ number: "R1", account: "A-1", account_number: "A-2" }] },
      LIST,
      "two different account",
    ],
    ["another record's key", { "S/R1/": { name: "Ada", account: "A-1", ref: "R2" } }, ONE, "of another record"],
    ["an account number of null", { "S/R1/": { name: "Ada", account: null } }, ONE, "reply has no account"],
    ["an empty account number in an item", { "S/": [{ number: "R1", account: "" }] }, LIST, "reply has no account"],
    ["a blank account number in an item", { "S/": [{ number: "R1", account: " " }] }, LIST, "reply has no account"],
  ])("treats a reply with %s as inconclusive", async (...[, replies, readBackOf, reason]) => {
    expect(await look([lookupOf("R1")], [readBackOf], replies)).toMatchObject([
      { kind: "unknown", reason: expect.stringContaining(reason) },
    ]);
  });

  it("treats a reply with another key under the name of the path's parameter as inconclusive", async () => {
    const byCode = readBack("/imports/{supplier}/{code}/", {
      parameters: { supplier: ["supplier"], code: ["ref"] },
      account: ["account"],
    });
    const lookAt = (code: string): Promise<readonly object[]> =>
      look([lookupOf("R1")], [byCode], { "S/R1/": { code, account: "A-1" } });
    expect(await lookAt("R2")).toEqual([{ kind: "unknown", reason: expect.stringContaining("of another record") }]);
    expect(await lookAt("R1")).toEqual([{ kind: "found", account: "A-1" }]);
  });

  it("treats a reply that does not have the documented form as inconclusive", async () => {
    const account: FieldType = { kind: "boolean", nullable: false, deprecated: false, validators: [] };
    const body: FieldType = {
      ...account,
      kind: "object",
      properties: new Map([["account", { name: "account", required: true, readOnly: false, type: account }]]),
      additional: "closed",
    };
    const operation = { ...ONE.operation, replies: [{ status: 200, mediaTypes: [], body }] };
    const seen = await look([lookupOf("R1")], [{ ...ONE, operation }], { "S/R1/": { name: "Ada" } });
    expect(seen).toEqual([{ kind: "unknown", reason: expect.stringContaining("not as documented") }]);
  });

  it.each([
    ["[]", {}],
    ["not JSON", "<html>"],
    ["a list at another path", { items: [] }],
  ])("treats a reply that is not a list as inconclusive: %s", async (_, reply) => {
    const strict: ReadBack = { ...LIST, list: ["results"] };
    expect(await look([lookupOf("R1")], [strict], { "S/": reply })).toMatchObject([{ kind: "unknown" }]);
  });

  describe("by the status of the reply", () => {
    const outcomes = { COMPLETED: "accepted", IN_PROGRESS: "pending", FAILED: "rejected", UNKNOWN: "absent" } as const;
    const one: ReadBack = { ...ONE, match: [], has: ["account"], status: ["state", "code"], outcomes };
    const list: ReadBack = { ...LIST, has: ["account"], status: ["state", "code"], outcomes };

    it.each([
      ["COMPLETED", "A-1", { kind: "found", account: "A-1" }],
      [
        "COMPLETED",
        "",
        { kind: "unknown", reason: expect.stringContaining("COMPLETED, but the reply has no account") },
      ],
      ["IN_PROGRESS", "", { kind: "unknown", reason: expect.stringContaining("IN_PROGRESS"), isInProgress: true }],
      ["IN_PROGRESS", "A-1", { kind: "unknown", reason: expect.stringContaining("IN_PROGRESS"), isInProgress: true }],
      ["UNKNOWN", "", { kind: "absent" }],
      ["FAILED", "", { kind: "absent" }],
      [
        "MERGED",
        "A-1",
        { kind: "unknown", reason: expect.stringContaining("MERGED, which the contract does not list") },
      ],
      ["toString", "A-1", { kind: "unknown", reason: expect.stringContaining("toString") }],
    ])("returns the expected result for the status %s and the account number %j", async (code, account, expected) => {
      expect(await look([lookupOf("R1")], [one], { "S/R1/": item(code, account) })).toEqual([expected]);
      expect(await look([lookupOf("R1")], [list], { "S/": [item(code, account)] })).toEqual([expected]);
    });

    it("treats a reply without a status as inconclusive", async () => {
      expect(await look([lookupOf("R1")], [one], { "S/R1/": { account: "A-1" } })).toMatchObject([{ kind: "unknown" }]);
    });

    it("accepts absence from a list only while no other operation reports the record as in progress", async () => {
      const seen = await look([lookupOf("R1")], [LIST, one], { "S/": [], "S/R1/": item("IN_PROGRESS", "") });
      expect(seen).toMatchObject([{ kind: "unknown", isInProgress: true }]);
    });

    it("treats a status outside the documented choices as inconclusive", async () => {
      const base = { nullable: false, deprecated: false, validators: [] } as const;
      const type: FieldType = { ...base, kind: "choice", choices: ["COMPLETED"] };
      const body: FieldType = {
        ...base,
        kind: "object",
        properties: new Map([["status", { name: "status", required: true, readOnly: false, type }]]),
        additional: "closed",
      };
      const strict = {
        ...ONE,
        match: [],
        operation: { ...ONE.operation, replies: [{ status: 200, mediaTypes: [], body }] },
      };
      const seen = (status: string): Promise<readonly object[]> =>
        look([lookupOf("R1")], [strict], { "S/R1/": { status, account: "A-1" } });
      expect(await seen("COMPLETED")).toEqual([{ kind: "found", account: "A-1" }]);
      expect(await seen("LOST")).toMatchObject([{ kind: "unknown", reason: expect.stringContaining("LOST") }]);
    });
  });

  it.each([
    ["twice with different account numbers", ["A-1", "A-2"], { kind: "unknown" }],
    ["three times, the last with another number", ["A-1", "A-1", "A-2"], { kind: "unknown" }],
    ["twice with one account number", ["A-1", "A-1"], { kind: "found", account: "A-1" }],
    ["twice, once without a number", ["", "A-1"], { kind: "found", account: "A-1" }],
  ])("returns the expected result for a key that is in a list %s", async (_, accounts, expected) => {
    const items = accounts.map((account) => ({ number: "R1", account }));
    const paged = { "S/": { results: items.slice(0, 1), next: null } };
    expect(await look([lookupOf("R1")], [LIST], { "S/": items })).toMatchObject([expected]);
    expect(await look([lookupOf("R1")], [{ ...LIST, list: ["results"] }], paged)).toHaveLength(1);
  });
});
