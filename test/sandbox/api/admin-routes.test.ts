import { expect, test } from "vitest";
import { account, ACCOUNTS, connect } from "../sandbox-client.ts";

const NOBODY = { authorization: "" };

test("the history can be fetched, as a list or line by line", async () => {
  const { post, get } = await connect();
  await post(ACCOUNTS, account("E-1"));
  const { json } = await get("/admin/history", NOBODY);
  expect(json).toMatchObject([{ request: 1, key: "E-1", status: 201, processed: true }]);
  const lines = await get("/admin/history?format=ndjson", NOBODY);
  expect(lines.headers["content-type"]).toBe("application/x-ndjson");
  expect(
    lines.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).key),
  ).toEqual(["E-1"]);
});

test("the accounts can be fetched without their payloads", async () => {
  const { post, get } = await connect();
  const { json } = await post(ACCOUNTS, account("E-1", { billing_postcode: "SW1A 1AA" }));
  const accounts = await get("/admin/accounts", NOBODY);
  expect(accounts.json).toEqual([
    { number: json.account_number, supplier: "SANDBOX", key: "E-1", importedAt: expect.any(String) },
  ]);
});

test("faults can be changed, and requests are counted anew", async () => {
  const { post, get } = await connect({ faults: { errorBefore: { every: 1 } } });
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(500);
  const changed = await post("/admin/faults", { throttle: "at:2", resetAfter: "5%", latencyMs: [1, 2] }, NOBODY);
  const expected = { throttle: { at: [2] }, resetAfter: { share: 0.05 }, latencyMs: [1, 2] };
  expect([changed.status, changed.json]).toEqual([200, expected]);
  expect((await get("/admin/faults", NOBODY)).json).toEqual(expected);
  await post("/admin/faults", { throttle: { every: 2 } }, NOBODY);
  const statuses = [await post(ACCOUNTS, account("E-1")), await post(ACCOUNTS, account("E-2"))].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([201, 429]);
});

test.each([
  [{ throtle: "every:2" }, "throtle"],
  [{ throttle: "sometimes" }, "throttle"],
  [{ throttle: { ever: 2 } }, "throttle"],
  [{ throttle: "120%" }, "throttle"],
  [{ throttle: { every: 0 } }, "throttle"],
  [{ latencyMs: [5, 1] }, "latencyMs"],
  [{ latencyMs: [1, 2, 3] }, "latencyMs"],
  [{ latencyMs: 1e308 }, "latencyMs"],
  [{ latencyMs: [0, 3_600_001] }, "latencyMs"],
  [{ taskMs: 1e308 }, "taskMs"],
  [{ retryAfter: "1\r\nX-Evil: 1" }, "retryAfter"],
  [{ retryAfter: "\u0661" }, "retryAfter"],
  [{ retryAfter: "1".repeat(201) }, "retryAfter"],
  [{ errorStatus: 404 }, "errorStatus"],
  [{ pauseAt: 1.5 }, "pauseAt"],
  [{ maxPerSecond: -1 }, "maxPerSecond"],
  [{ maxPerSecond: 1e308 }, "maxPerSecond"],
  [{ retryAfter: 1e308 }, "retryAfter"],
  [{ tokenLifetimeSeconds: 1e308 }, "tokenLifetimeSeconds"],
  [{ refreshLifetimeSeconds: 1e308 }, "refreshLifetimeSeconds"],
  [{ maxInFlight: 1e308 }, "maxInFlight"],
  [{ forgetful: "yes" }, "forgetful"],
  [[], "faults"],
])("faults that make no sense are refused: %j", async (faults, named) => {
  const { post } = await connect();
  const { status, json } = await post("/admin/faults", faults, NOBODY);
  expect(status).toBe(400);
  expect(json.detail).toContain(`"${named}"`);
});

test.each([
  ["another origin", { origin: "https://evil.example" }],
  ["a page that hides its origin", { origin: "null" }],
  ["another port of this machine", { origin: "https://127.0.0.1:1" }],
  ["the same address without TLS", { origin: "http://127.0.0.1" }],
  ["another host name (DNS rebinding)", { host: "evil.example" }],
  ["a link on another site", { "sec-fetch-site": "cross-site" }],
])("obeys no admin request from %s without the admin token", async (_, headers) => {
  const { call, sandbox } = await connect();
  for (const [method, path] of [
    ["GET", "/admin/history"],
    ["POST", "/admin/reset"],
  ] as const) {
    const refused = await call(method, path, method === "POST" ? "{}" : undefined, { ...NOBODY, ...headers });
    expect(refused).toMatchObject({ status: 403, json: { code: "permission_denied" } });
    const authorization = `Token ${sandbox.ready.adminToken}`;
    const obeyed = await call(method, path, method === "POST" ? "{}" : undefined, { ...headers, authorization });
    expect(obeyed.status).toBe(200);
  }
});

test("obeys admin requests of a page that it serves itself, and of programs", async () => {
  const { get, sandbox } = await connect();
  const { origin, port } = new URL(sandbox.ready.baseUrl);
  expect((await get("/admin/history", { ...NOBODY, origin, "sec-fetch-site": "same-origin" })).status).toBe(200);
  expect((await get("/admin/history", { ...NOBODY, host: `localhost:${port}` })).status).toBe(200);
});

test("an import supplier can be paused and resumed", async () => {
  const { post } = await connect();
  expect((await post("/admin/suppliers/SANDBOX", { status: "Paused" }, NOBODY)).status).toBe(200);
  expect((await post(ACCOUNTS, account("E-1"))).json.code).toBe("import_supplier_migration_not_ongoing");
  await post("/admin/suppliers/SANDBOX", { status: "Ongoing" }, NOBODY);
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(201);
  expect((await post("/admin/suppliers/SANDBOX", { status: "Gone" }, NOBODY)).status).toBe(400);
  expect((await post("/admin/suppliers/NOBODY", { status: "Paused" }, NOBODY)).status).toBe(404);
});

test("the status of every supplier can be read, as it was set at the start and since", async () => {
  const { post, get } = await connect({ suppliers: { SPRING: "Ongoing", WINTER: "Paused" } });
  expect((await get("/admin/suppliers", NOBODY)).json).toEqual({ SPRING: "Ongoing", WINTER: "Paused" });
  await post("/admin/suppliers/SPRING", { status: "Complete" }, NOBODY);
  expect((await get("/admin/suppliers", NOBODY)).json).toEqual({ SPRING: "Complete", WINTER: "Paused" });
});

test("tokens can be rotated", async () => {
  const { post, sandbox } = await connect();
  const query = `mutation { ObtainServiceToken(input: { APIKey: "${sandbox.ready.apiKey}" }) { token } }`;
  const { json } = await post("graphql/", { query });
  const headers = { authorization: `Token ${json.data.ObtainServiceToken.token}` };
  expect((await post(ACCOUNTS, account("E-1"), headers)).status).toBe(201);
  await post("/admin/tokens/rotate", {}, NOBODY);
  expect((await post(ACCOUNTS, account("E-2"), headers)).json.code).toBe("authentication_failed");
});

test("a reset removes accounts, history and faults, and sets the suppliers to Ongoing", async () => {
  const { post, sandbox } = await connect({ faults: { pauseAt: 2 } });
  await post(ACCOUNTS, account("E-1"));
  await post(ACCOUNTS, account("E-2"));
  await post("/admin/reset", {}, NOBODY);
  expect([sandbox.state.accounts(), sandbox.history(), sandbox.state.supplierStatus("SANDBOX")]).toEqual([
    [],
    [],
    "Ongoing",
  ]);
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(201);
  expect((await post(ACCOUNTS, account("E-2"))).status).toBe(201);
});
