import { describe, expect, it } from "vitest";
import type { ReadBack } from "../../../src/contract/operations/operation.ts";
import { lookUpRecords } from "../../../src/platform/reading/record-lookup.ts";
import { jsonReply } from "../json-reply.ts";
import { fakeReads } from "./fake-reads.ts";
import { KEY, LIST, ONE, lookupOf, look, listedTwice, type Reply } from "./lookup-scene.ts";

describe("looking records up in lists of received records", () => {
  it("follows a list in pages, and fails at a page that leads to another host", async () => {
    const paged: ReadBack = { ...LIST, list: ["results"] };
    const first = { results: [], next: "https://api.example.test/v1/imports/S/?page=2" };
    const replies = { "S/": first, "S/?page=2": { results: [{ number: "R1" }], next: null } };
    expect(await look([lookupOf("R1")], [paged], replies)).toEqual([{ kind: "found" }]);
    const astray = { "S/": { results: [], next: "https://evil.example/v1/" } };
    await expect(look([lookupOf("R1")], [paged], astray)).rejects.toMatchObject({ code: "redirect" });
  });

  it.each<[string, Readonly<Record<string, Reply>>]>([
    ["shows fewer records than its count", { "S/": { count: 2, next: null, results: [{ number: "R1" }] } }],
    ["has an invalid count", { "S/": { count: null, next: null, results: [{ number: "R1" }] } }],
    ["shows fewer records than its count as text", { "S/": { count: "2", next: null, results: [{ number: "R1" }] } }],
    ["has a count, but no address of the next page", { "S/": { count: 1, results: [{ number: "R1" }] } }],
    [
      "has a last page without the address of the next page",
      {
        "S/": { next: "?page=2", results: [{ number: "R1" }] },
        "S/?page=2": { results: [] },
      },
    ],
  ])("treats a list as inconclusive if it %s", async (_, replies) => {
    const paged: ReadBack = { ...LIST, list: ["results"] };
    expect(await look([lookupOf("R2")], [paged], replies)).toMatchObject([{ kind: "unknown" }]);
  });

  it.each([
    ["an empty object", {}],
    ["an empty list", []],
    ["a message", { detail: "no such account", ref: null }],
  ])("treats a reply with %s as inconclusive, because it shows no record", async (_, reply) => {
    for (const one of [ONE, { ...ONE, match: [] }]) {
      expect(await look([lookupOf("R1")], [one], { "S/R1/": reply })).toMatchObject([{ kind: "unknown" }]);
    }
  });

  it.each([{ ref: "R1" }, { number: "A-1" }, { account: "A-1" }])(
    "finds a record without values to compare in a reply with an identifier: %j",
    async (reply) => {
      const found = await look([lookupOf("R1")], [{ ...ONE, match: [] }], { "S/R1/": reply });
      expect(found).toMatchObject([{ kind: "found" }]);
    },
  );

  it("does not treat a record as absent if the list contains its key as a number without leading zeros", async () => {
    const records = ["0042", "43", "0044"].map((ref) => lookupOf(ref));
    const replies = { "S/": [{ number: 42 }, { number: 43, account: "A-43" }] };
    expect(await look(records, [LIST], replies)).toMatchObject([
      { kind: "unknown" },
      { kind: "found" },
      { kind: "absent" },
    ]);
  });

  it("does not treat a record as absent if the list was reordered between two pages", async () => {
    const paged: ReadBack = { ...LIST, list: ["results"] };
    const [one, two, three] = ["R1", "R2", "R3"].map((number) => ({ number, account: `A-${number}` }));
    const first = { count: 4, next: "https://api.example.test/v1/imports/S/?page=2", results: [one, two] };
    const records = ["R1", "R3", "R4"].map((ref) => lookupOf(ref));
    const found = { kind: "found" };
    const reordered = { "S/": first, "S/?page=2": { count: 4, next: null, results: [three, one] } };
    expect(await look(records, [paged], reordered)).toMatchObject([found, found, { kind: "unknown" }]);
    const ordered = { "S/": first, "S/?page=2": { count: 4, next: null, results: [three, { number: "R5" }] } };
    expect(await look(records, [paged], ordered)).toMatchObject([found, found, { kind: "absent" }]);
  });

  it.each([
    { next_cursor: "b3Bh" },
    { "@odata.nextLink": "https://api.example.test/v1/imports/S/?skip=1" },
    { has_more: true },
    { links: { next: "?page=2" } },
    { meta: { page: { totalPages: 2 } } },
    { total: "2" },
  ])(
    "does not treat a record as absent if the list continues in another way (it used to be sent again): %j",
    async (page) => {
      const paged: ReadBack = { ...LIST, list: ["results"] };
      const replies = { "S/": { results: [{ number: "R1" }], ...page } };
      const found = await look([lookupOf("R1"), lookupOf("R2")], [paged], replies);
      expect(found).toMatchObject([{ kind: "found" }, { kind: "unknown" }]);
    },
  );

  it.each([
    { next_cursor: null, has_more: false, links: { next: null }, total: 1, pages: 1 },
    { total: "12.50", next_reading_date: "2026-01-01", pages: [{ number: 1 }], cursor: "" },
  ])("treats a record as absent if other members of the page do not show that it continues: %j", async (page) => {
    const paged: ReadBack = { ...LIST, list: ["results"] };
    const replies = { "S/": { results: [{ number: "R1" }], ...page } };
    expect(await look([lookupOf("R2")], [paged], replies)).toEqual([{ kind: "absent" }]);
  });

  it.each<[string, string, string]>([
    [
      "unknown",
      "a link to the next page",
      '<https://api.example.test/?p=0>; rel="prev", </?p=2>; title=x; rel="last next"',
    ],
    ["unknown", "a link without quotes", "</?p=2>;rel=next"],
    ["absent", "a link to the previous page", '</?next=1>; rel="prev"; title="next"'],
  ])("treats a record as %s if the reply has %s in its `Link` header", async (kind, _, link) => {
    const { client } = fakeReads(() => ({ ...jsonReply(200, []), headers: { ...jsonReply(200, []).headers, link } }));
    expect(await lookUpRecords([lookupOf("R1")], [LIST], { client, key: KEY })).toMatchObject([{ kind }]);
  });

  it.each<[string, Readonly<Record<string, Reply>>]>([
    ["pages without a count", { "S/": { next: null, results: [{ number: "R1" }] } }],
    ["an object that is not a page", { "S/": { results: [{ number: "R1" }] } }],
    ["pages with as many records as their count", { "S/": { count: 1, next: null, results: [{ number: "R1" }] } }],
  ])("treats a record as absent if it is not in a list in the form of %s", async (_, replies) => {
    const paged: ReadBack = { ...LIST, list: ["results"] };
    expect(await look([lookupOf("R2")], [paged], replies)).toEqual([{ kind: "absent" }]);
  });

  it("treats a list as inconclusive if it contains a key twice with different account numbers", async () => {
    expect(await look([lookupOf("R1")], [LIST], listedTwice("A-2"))).toEqual([
      {
        kind: "unknown",
        reason: expect.stringContaining("lists the record's key twice, with different account numbers"),
      },
    ]);
    expect(await look([lookupOf("R1")], [LIST], listedTwice("A-1"))).toEqual([{ kind: "found", account: "A-1" }]);
  });
});
