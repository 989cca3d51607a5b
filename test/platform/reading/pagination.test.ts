import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import { inTimeOrder, type Page, selectedPages } from "../../../src/platform/reading/pagination.ts";
import { productPages } from "../../../src/platform/reading/product-list.ts";
import { ratePages } from "../../../src/platform/reading/unit-rates.ts";
import { fakeReads, listOf } from "./fake-reads.ts";
import { jsonReply } from "../json-reply.ts";

const FIRST = "https://api.example.com/v1/products/";

async function all<T>(pages: AsyncIterable<Page<T>>): Promise<readonly Page<T>[]> {
  const found: Page<T>[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const end: unknown = await work.catch((error: unknown) => error);
  if (end instanceof Failure) return end;
  throw new Error("it did not fail");
}

const product = (code: string): object => ({ code, is_green: true, brand: null });

describe("pages", () => {
  test("are read only through `next`, and only when they are needed", async () => {
    const { client, asked } = fakeReads((url) =>
      url.search === "" ? listOf([product("A")], `${FIRST}?cursor=zz`) : listOf([product("B")], null),
    );
    const pages = productPages(client);
    const first = await pages.next();
    expect(asked).toHaveLength(1);
    expect(first.value).toMatchObject({ results: [{ code: "A" }], hasNext: true, count: 1 });
    expect(await all(pages)).toMatchObject([{ results: [{ code: "B" }], hasNext: false }]);
    expect(asked.map(({ url }) => url.href)).toEqual([FIRST, `${FIRST}?cursor=zz`]);
  });

  test("are requested with the filters in the URL of the first page", async () => {
    const { client, asked } = fakeReads(() => listOf([], null));
    await all(productPages(client, { brand: "A & B", isGreen: false, availableAt: "2026-01-01T00:00:00Z" }));
    expect(asked[0]?.url.search).toBe("?brand=A+%26+B&is_green=false&available_at=2026-01-01T00%3A00%3A00Z");
  });

  test("keep unknown fields and every digit unchanged", async () => {
    const text = '{"next":null,"results":[{"value_exc_vat": -3.0150, "value_inc_vat":1e2,"valid_from":"t","x":[1.0]}]}';
    const { client } = fakeReads(() => ({ ...jsonReply(200, {}), body: text }));
    const request = { product: "P", tariff: "T", fuel: "electricity", kind: "standard" } as const;
    const [page] = await all(ratePages(client, request));
    expect(page?.results).toEqual([{ value_exc_vat: "-3.0150", value_inc_vat: "1e2", valid_from: "t", x: [1] }]);
    expect(page?.json).toEqual(['{"value_exc_vat":-3.0150,"value_inc_vat":1e2,"valid_from":"t","x":[1.0]}']);
  });

  test("may have a count that is text, or no count", async () => {
    const pages = [{ count: "1", next: "?page=2" }, { next: null }];
    const { client } = fakeReads((_url, number) =>
      jsonReply(200, { ...pages[number - 1], results: [product(`P${number}`)] }),
    );
    expect((await all(productPages(client))).map(({ count }) => count)).toEqual([1, undefined]);
  });

  test.each<[string, object | string, string]>([
    ["a missing field", { name: "x" }, 'record 3 has an invalid or missing "code"'],
    ["an invalid field", { code: "x", is_green: "yes" }, 'record 3 has an invalid or missing "is_green"'],
    ["no fields", "x", "record 3 is not an object"],
  ])(
    "are refused with the number of a record in the list and its field if the record has %s",
    async (...[, bad, words]) => {
      const { client } = fakeReads((url) =>
        url.search === ""
          ? listOf([product("A")], "?page=2")
          : jsonReply(200, { next: null, results: [product("B"), bad] }),
      );
      const { message } = await failureOf(all(productPages(client)));
      expect(message).toBe(`the reply to the request for the list of products contains an unexpected record: ${words}`);
    },
  );

  test.each([
    ["another host", "https://evil.example.com/v1/products/?page=2", "redirect"],
    ["another port", "https://api.example.com:8443/v1/products/?page=2", "redirect"],
    ["http", "http://api.example.com/v1/products/?page=2", "redirect"],
    ["another path", "https://api.example.com/v2/products/?page=2", "wrong_endpoint"],
    ["a path with ..", "https://api.example.com/v1/../admin/", "wrong_endpoint"],
    ["an encoded path with ..", "https://api.example.com/v1/%2e%2e/admin/", "wrong_endpoint"],
    ["credentials", "https://a:b@api.example.com/v1/products/?page=2", "wrong_endpoint"],
    ["itself", FIRST, "wrong_endpoint"],
    ["itself with a fragment", `${FIRST}#2`, "wrong_endpoint"],
    ["a number", 2, "wrong_endpoint"],
    ["an incomplete address", "https://", "wrong_endpoint"],
  ])("are refused if `next` leads to %s", async (_name, next, code) => {
    const { client, asked } = fakeReads(() => listOf([product("A")], next));
    const failure = await failureOf(all(productPages(client)));
    expect([failure.code, failure.exitCode]).toEqual([code, 4]);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["has no address of the next page", { count: 250, previous: null, results: [product("A")] }, "has no `next`"],
    [
      "is the last page, but records are missing",
      { count: 250, next: null, previous: null, results: [product("A")] },
      "the platform returned only 1 of 250 records in the list of products",
    ],
    [
      "is the last page, but records are missing, and `count` is text",
      { count: "250", next: null, previous: null, results: [product("A")] },
      "the platform returned only 1 of 250 records in the list of products",
    ],
    ...[null, -1, 1.5, "", "1.5", "many", true, [1], {}].map((count): [string, object, string] => [
      `has the count ${JSON.stringify(count)}`,
      { count, next: null, previous: null, results: [product("A")] },
      "has an invalid `count`",
    ]),
  ])("are refused if a page %s", async (_name, body, message) => {
    const { client } = fakeReads(() => jsonReply(200, body));
    const failure = await failureOf(all(productPages(client)));
    expect([failure.message, failure.exitCode]).toEqual([expect.stringContaining(message), 4]);
  });

  test("are refused, with the number of the page, if a later page does not exist", async () => {
    const { client } = fakeReads((url) =>
      url.search === "" ? listOf([product("A")], "?page=2") : jsonReply(404, { detail: "Invalid page." }),
    );
    const failure = await failureOf(all(productPages(client)));
    expect([failure.message, failure.exitCode]).toEqual([expect.stringContaining("has the status 404 on page 2"), 4]);
  });

  test("are refused, without blaming the options, if the platform refuses the query of a later page", async () => {
    const { client } = fakeReads((url) =>
      url.search === "" ? listOf([product("A")], "?cursor=zz") : jsonReply(400, { cursor: ["Invalid cursor."] }),
    );
    expect(await failureOf(all(productPages(client)))).toMatchObject({
      code: "wrong_endpoint",
      message: "the platform refuses page 2 of the list of products (HTTP 400)",
      hint: "run the same command again; if the error persists, report it to the platform's operator",
    });
  });

  test("do not return a record twice if the list grows between two requests", async () => {
    const { client } = fakeReads((url) =>
      url.search === ""
        ? listOf([product("B"), product("C")], "?page=2")
        : jsonReply(200, { count: 4, next: null, results: [product("C"), product("D")] }),
    );
    const shown: Page<object>[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const page of productPages(client)) shown.push(page);
      })(),
    );
    expect([failure.message, failure.exitCode]).toEqual([
      "two pages of the list of products contain the same record, so the list has probably changed between them",
      4,
    ]);
    expect(shown.flatMap(({ json }) => json)).toHaveLength(2);
  });

  test("are refused if they are not UTF-8 text", async () => {
    const { client } = fakeReads(() => ({ ...listOf([product("A\uFFFD")], null), isMisencoded: true }));
    expect((await failureOf(all(productPages(client)))).message).toContain("is not UTF-8 text");
  });

  test("are refused, with the scheme in the message, if the next address has no host", async () => {
    const { client } = fakeReads(() => listOf([], "javascript:0"));
    expect((await failureOf(all(productPages(client)))).message).toContain("leads to javascript:");
  });

  test("are refused if there are too many of them", async () => {
    const { client, asked } = fakeReads((_url, number) => listOf([], `${FIRST}?page=${number + 1}`));
    expect((await failureOf(all(productPages(client, {}, 50)))).message).toContain("no end");
    expect(asked).toHaveLength(50);
  });

  test("are refused after one round if they form a cycle", async () => {
    const { client, asked } = fakeReads((url) => listOf([], `${FIRST}?page=${url.search.endsWith("2") ? 1 : 2}`));
    expect((await failureOf(all(productPages(client)))).message).toContain("already been read");
    expect(asked).toHaveLength(3);
  });

  test.each([
    ["invalid JSON", "{"],
    ["a list", "[]"],
    ["an object without results", '{"next":null}'],
    ["results that are not a list", '{"results":{}}'],
    ["a record without a code", '{"results":[{"name":"x"}]}'],
    ["a flag that is a string", '{"results":[{"code":"x","is_green":"yes"}]}'],
  ])("are refused if they contain %s", async (_name, body) => {
    const { client } = fakeReads(() => ({ ...jsonReply(200, {}), body }));
    expect((await failureOf(all(productPages(client)))).code).toBe("wrong_endpoint");
  });

  test("are never requested outside the base URL, and always end, for any value of `next`", async () => {
    const next = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.webPath(),
      fc.string(),
      fc.stringMatching(/^\?page=[0-9]$/),
      fc.constantFrom(
        "//evil.example.com/v1/",
        "\\\\evil.example.com/v1/",
        "/v1/../..//x",
        "https:/v1/x",
        "javascript:0",
      ),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(next, { minLength: 1, maxLength: 8 }), async (chain) => {
        const { client, asked } = fakeReads((_url, number) => listOf([], chain[number - 1] ?? null));
        const end: unknown = await all(productPages(client)).catch((error: unknown) => error);
        expect(Array.isArray(end) || (end instanceof Failure && end.exitCode === 4)).toBe(true);
        expect(asked.length).toBeLessThanOrEqual(chain.length + 1);
        for (const { url } of asked) expect(url.href.startsWith("https://api.example.com/v1/")).toBe(true);
        expect(new Set(asked.map(({ url }) => url.href)).size).toBe(asked.length);
      }),
      { numRuns: 300 },
    );
  });
});

function threePages(): ReturnType<typeof fakeReads> {
  return fakeReads((_url, number) =>
    listOf([product(`${number}a`), product(`${number}b`)], number < 3 ? `${FIRST}?page=${number + 1}` : null),
  );
}

async function codes(pages: AsyncIterable<Page<{ readonly code: string }>>): Promise<readonly string[]> {
  return (await all(pages)).flatMap(({ results }) => results.map(({ code }) => code));
}

describe("reading a part of a list", () => {
  test.each([
    ["first", ["1a", "1b"], 1],
    [2, ["2a", "2b"], 2],
    ["all", ["1a", "1b", "2a", "2b", "3a", "3b"], 3],
  ] as const)("returns the items of the requested pages: %s", async (extent, expected, requests) => {
    const { client, asked } = threePages();
    expect(await codes(selectedPages(productPages(client), extent))).toEqual(expected);
    expect(asked).toHaveLength(requests);
  });

  test("fails for a page that does not exist", async () => {
    const { client } = threePages();
    expect(await failureOf(codes(selectedPages(productPages(client), 4)))).toMatchObject({
      code: "not_found",
      exitCode: 2,
    });
  });

  test("returns items in chronological order if the platform lists the latest first", async () => {
    const { client } = threePages();
    expect(await codes(inTimeOrder(productPages(client)))).toEqual(["3b", "3a", "2b", "2a", "1b", "1a"]);
  });
});
