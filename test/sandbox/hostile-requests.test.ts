import { expect, test, vi } from "vitest";
import { account, ACCOUNTS, connect } from "./sandbox-client.ts";

const NO_CREDENTIALS = { authorization: "" };

test("refuses a body above the limit, with and without a content length", async () => {
  const lines: string[] = [];
  const { call, post, sandbox } = await connect({ maxBodyBytes: 2000, log: (line) => lines.push(line) });
  const body = JSON.stringify(account("E-1", { billing_postcode: "x".repeat(3000) }));
  const declared = await call("POST", ACCOUNTS, body, NO_CREDENTIALS);
  expect(declared).toMatchObject({ status: 413, json: { code: "request_too_large" } });
  const chunked = await call("POST", ACCOUNTS, body, { "transfer-encoding": "chunked" });
  expect(chunked.status).toBe(413);
  expect(lines).toEqual(Array(2).fill("POST /v1/data-import/accounts/ 413"));
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(201);
  expect(sandbox.state.accounts()).toHaveLength(1);
});

test("allows bodies of up to 16 MiB by default", async () => {
  const { call } = await connect();
  const send = (bytes: number): Promise<{ readonly status: number }> =>
    call("POST", ACCOUNTS, " ".repeat(bytes), NO_CREDENTIALS);
  expect((await send(16 * 1024 * 1024)).status).toBe(401);
  expect((await send(16 * 1024 * 1024 + 1)).status).toBe(413);
});

test.each([
  ["fields under aliases", `{ ${Array.from({ length: 20_000 }, (_, index) => `a${index}: apiVersion`).join(" ")} }`],
  ["fields without aliases", `{ ${"apiVersion ".repeat(300)} }`],
  ["levels", `${"{ apiVersion ".repeat(21)}${"}".repeat(21)}`],
  ["levels of nested lists", `{ apiVersion(a: ${"[".repeat(50_000)}1${"]".repeat(50_000)}) }`],
])("returns an error for a GraphQL query with too many %s", async (_, query) => {
  const { post } = await connect();
  const { status, json } = await post("graphql/", { query }, NO_CREDENTIALS);
  expect(status).toBe(200);
  expect(json).toMatchObject({ errors: [{ message: expect.stringMatching(/more tha[nt] \d+/) }] });
  expect(json).not.toHaveProperty("data");
});

test.each([
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["a byte order mark", Buffer.from('\uFEFF{"import_supplier": "SANDBOX"}')],
  ["50,000 levels of nesting", Buffer.from(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`)],
  ["a million empty objects", Buffer.from(`{"customers":[${"{},".repeat(1_000_000)}{}]}`)],
  ["200,000 names", Buffer.from(`{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()}}`)],
  ["50,000 nested lists", Buffer.from(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)],
])("returns parse_error for a body with %s", async (_, body) => {
  const { call, get } = await connect();
  expect(await call("POST", ACCOUNTS, body)).toMatchObject({ status: 400, json: { code: "parse_error" } });
  expect((await get("products/")).status).toBe(200);
});

test("prints nothing to the console of its host if it cannot serve a request", async () => {
  const methods = ["error", "warn", "info", "log"] as const;
  const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => undefined));
  const lines: string[] = [];
  const { get, sandbox, admin } = await connect({ log: (line) => lines.push(line) });
  expect((await get("products/", { host: "a b" })).status).toBe(400);
  vi.spyOn(sandbox.state, "accounts").mockImplementation(() => {
    throw new Error("a fault of the sandbox itself");
  });
  const { status, json } = await get("/admin/accounts", admin);
  expect({ status, json }).toEqual({ status: 500, json: { error: "Server Error (500)" } });
  expect(lines).toContain("GET /admin/accounts 500 Error");
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

test("answers requests without a body, and accepts chunked bodies (both used to get a 500)", async () => {
  const { call, admin } = await connect();
  expect((await call("POST", "/admin/reset", undefined, admin)).status).toBe(200);
  expect((await call("POST", ACCOUNTS)).status).toBe(415);
  expect((await call("OPTIONS", "products/")).status).toBe(405);
  const chunked = await call("POST", ACCOUNTS, JSON.stringify(account("E-1")), { "transfer-encoding": "chunked" });
  expect(chunked.status).toBe(201);
});
