import { expect, test } from "vitest";
import { account, ACCOUNTS, type Client, connect, type Parsed } from "../sandbox-client.ts";

const NOBODY = { authorization: "" };
const NOW = Date.UTC(2026, 10, 20, 12);
const clock = { now: () => NOW, monotonic: () => 0, sleep: () => Promise.resolve() };

async function everyPage(
  { get }: Client,
  first: string,
): Promise<{ readonly pages: readonly Parsed[]; readonly results: readonly Parsed[] }> {
  const pages: Parsed[] = [];
  for (let next: string | null = first; next !== null; next = pages.at(-1).next) {
    const { status, json } = await get(next, NOBODY);
    expect(status).toBe(200);
    pages.push(json);
  }
  return { pages, results: pages.flatMap(({ results }) => results) };
}

test("products are read without credentials, in pages of 100 that are linked by absolute addresses", async () => {
  const client = await connect();
  const { pages, results } = await everyPage(client, "products/");
  expect(pages.map(({ results: page }) => page.length)).toEqual([100, 30]);
  const [first, second] = pages;
  expect(first).toMatchObject({ count: 130, previous: null, next: `${client.sandbox.ready.baseUrl}products/?page=2` });
  expect(second).toMatchObject({ count: 130, previous: `${client.sandbox.ready.baseUrl}products/`, next: null });
  expect(new Set(results.map(({ code }) => code))).toEqual(new Set(client.sandbox.ready.products));
  expect(new Set(Object.keys(results[0]))).toEqual(new Set(PRODUCT_FIELDS.split(" ")));
  expect((await client.get("products", NOBODY)).json.count).toBe(130);
  expect((await client.get("products/?page=3", NOBODY)).json).toEqual({ detail: "Invalid page.", code: "not_found" });
});

/** The fields of a product, as in section 2.2 of the API specification. */
const PRODUCT_FIELDS =
  "code direction full_name display_name description is_variable is_green is_tracker is_prepay is_business " +
  "is_restricted term available_from available_to links brand";

test.each([
  ["is_green=true", (one: Parsed) => one.is_green === true],
  ["is_prepay=true", (one: Parsed) => one.is_prepay === true],
  ["is_green=false&is_business=true", (one: Parsed) => !one.is_green && one.is_business === true],
  ["brand=GREENFIELD", (one: Parsed) => one.brand === "GREENFIELD"],
  ["is_variable=true&brand=NORTHERN_LIGHT", (one: Parsed) => one.is_variable && one.brand === "NORTHERN_LIGHT"],
  ["is_tracker=true", (one: Parsed) => one.is_tracker === true],
  ["available_at=2024-02-01T00:00:00Z", (one: Parsed) => one.code.endsWith("-24-01-01")],
  ["is_historical=true", (one: Parsed) => one.available_to !== null],
  ["is_historical=false", (one: Parsed) => one.available_to === null],
])("products are filtered by %s", async (query, fits) => {
  const client = await connect({ clock });
  const all = (await everyPage(client, "products/")).results;
  const { results } = await everyPage(client, `products/?${query}`);
  expect(results.map(({ code }) => code)).toEqual(all.filter(fits).map(({ code }) => code));
  expect(results.length).toBeGreaterThan(0);
  expect(results.length).toBeLessThan(all.length);
});

test("a filter with an invalid boolean or time is refused", async () => {
  const { get } = await connect();
  expect((await get("products/?is_green=perhaps", NOBODY)).json.errors).toMatchObject([
    { attr: "is_green", code: "invalid" },
  ]);
  expect((await get("products/?is_historical=perhaps", NOBODY)).status).toBe(400);
  expect((await get("products/?available_at=2024-02-30", NOBODY)).status).toBe(400);
});

test("a product lists its tariffs, and each link leads to rates", async () => {
  const { get } = await connect();
  const { json } = await get("products/VAR-24-01-01/", NOBODY);
  expect(json.tariffs.map(({ code }: { code: string }) => code)).toEqual([
    "E-1R-VAR-24-01-01-A",
    "E-2R-VAR-24-01-01-A",
    "G-1R-VAR-24-01-01-A",
  ]);
  for (const { href } of json.tariffs.flatMap(({ links }: Parsed) => links)) {
    const rates = await get(href, NOBODY);
    expect([href, rates.status, rates.json.count > 0]).toEqual([href, 200, true]);
  }
  expect((await get("products/NOTHING/", NOBODY)).status).toBe(404);
});

function ratesPath({ sandbox }: Client, query: string): string {
  const { product, tariff } = sandbox.ready.tariff;
  return `products/${product}/electricity-tariffs/${tariff}/standard-unit-rates/?${query}`;
}

test("half-hourly rates cover the period without a gap, the latest first", async () => {
  const client = await connect({ clock });
  const { results } = await everyPage(
    client,
    ratesPath(client, "period_from=2025-01-01T00:00Z&period_to=2025-01-08T00:00Z"),
  );
  expect(results).toHaveLength(7 * 48);
  expect(results[0]).toMatchObject({
    valid_from: "2025-01-07T23:30:00Z",
    valid_to: "2025-01-08T00:00:00Z",
    payment_method: null,
  });
  expect(results.at(-1)).toMatchObject({ valid_from: "2025-01-01T00:00:00Z" });
  for (const [index, one] of results.slice(1).entries()) expect(one.valid_to).toBe(results[index].valid_from);
  expect(results.some(({ value_exc_vat }) => value_exc_vat < 0)).toBe(true);
  expect(
    results.every(({ value_exc_vat, value_inc_vat }) => Math.abs(value_exc_vat * 1.05 - value_inc_vat) < 0.0001),
  ).toBe(true);
});

test.each([
  ["the spring day has 23 hours", "period_from=2025-03-30&period_to=2025-03-31", 46, "2025-03-30T00:00:00Z"],
  ["the autumn day has 25 hours", "period_from=2025-10-26&period_to=2025-10-27", 50, "2025-10-25T23:00:00Z"],
  [
    "a summer day begins on the previous evening in UTC",
    "period_from=2025-07-01T00:00&period_to=2025-07-02T00:00",
    48,
    "2025-06-30T23:00:00Z",
  ],
  ["an explicit zone is used", "period_from=2025-07-01T00:00Z&period_to=2025-07-01T02:00%2B02:00", 0, undefined],
  [
    "an explicit offset is used",
    "period_from=2025-07-01T00:00%2B02:00&period_to=2025-07-01T00:00Z",
    4,
    "2025-06-30T22:00:00Z",
  ],
])("times are read in their own zone, or as London time if they name none: %s", async (_name, query, count, first) => {
  const client = await connect({ clock });
  const { pages, results } = await everyPage(client, ratesPath(client, query));
  expect(pages[0].count).toBe(count);
  expect(results.at(-1)?.valid_from).toBe(first);
});

test("rates come in pages of 100, or of a requested size up to 1500", async () => {
  const client = await connect({ clock });
  const size = async (query: string): Promise<number> =>
    (await client.get(ratesPath(client, query), NOBODY)).json.results.length;
  expect(await size("")).toBe(100);
  expect(await size("page_size=250")).toBe(250);
  expect(await size("page_size=9999")).toBe(1500);
  const { json } = await client.get(ratesPath(client, "page_size=1500"), NOBODY);
  expect(json.results[0].valid_to).toBe("2026-11-22T00:00:00Z");
  expect(new URL(json.next).searchParams.get("page_size")).toBe("1500");
});

test.each([
  ["period_to=2025-01-01T00:00Z"],
  ["period_from=soon"],
  ["period_from=2025-01-01T00:00Z&period_to=2025-13-01"],
])("the period %s is refused", async (query) => {
  const client = await connect();
  expect((await client.get(ratesPath(client, query), NOBODY)).status).toBe(400);
});

test.each([
  ["products/VAR-24-01-01/electricity-tariffs/E-2R-VAR-24-01-01-C/day-unit-rates/", true],
  ["products/VAR-24-01-01/electricity-tariffs/E-2R-VAR-24-01-01-C/night-unit-rates/", true],
  ["products/VAR-24-01-01/electricity-tariffs/E-2R-VAR-24-01-01-C/standard-unit-rates/", false],
  ["products/VAR-24-01-01/electricity-tariffs/E-1R-VAR-24-01-01-C/day-unit-rates/", false],
  ["products/VAR-24-01-01/electricity-tariffs/E-1R-VAR-24-01-01-C/standing-charges/", true],
  ["products/VAR-24-01-01/gas-tariffs/G-1R-VAR-24-01-01-C/standard-unit-rates/", true],
])("%s has rates: %j", async (path, has) => {
  const { get } = await connect({ clock });
  const { status, json } = await get(path, NOBODY);
  expect([status, json.count > 0]).toEqual([200, has]);
  expect(json.results.map((one: Parsed) => one.valid_to === null).indexOf(true)).toBe(has ? 0 : -1);
});

test.each([
  "products/VAR-24-01-01/electricity-tariffs/E-1R-VAR-24-04-01-C/standard-unit-rates/",
  "products/VAR-24-01-01/gas-tariffs/E-1R-VAR-24-01-01-C/standard-unit-rates/",
  "products/VAR-24-01-01/electricity-tariffs/E-1R-VAR-24-01-01-I/standard-unit-rates/",
  "products/HALFHOURLY-24-10-01/gas-tariffs/G-1R-HALFHOURLY-24-10-01-C/standard-unit-rates/",
])("%s does not exist", async (path) => {
  expect((await (await connect()).get(path, NOBODY)).status).toBe(404);
});

test("the sample account and migrated accounts can be read back", async () => {
  const { get, post, sandbox } = await connect();
  const sample = await get(`accounts/${sandbox.ready.account}/`);
  expect(sample.json).toMatchObject({ number: sandbox.ready.account, properties: [{ postcode: "SW1A 1AA" }] });
  const { json } = await post(ACCOUNTS, account("E-1", { billing_postcode: "SW1A 1AA" }));
  const migrated = await get(`accounts/${json.account_number}`);
  expect(migrated.json).toMatchObject({
    number: json.account_number,
    ...account("E-1", { billing_postcode: "SW1A 1AA" }),
  });
  expect((await get("accounts/A-00000000/")).status).toBe(404);
});
