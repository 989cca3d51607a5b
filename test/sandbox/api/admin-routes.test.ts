import { expect, test } from "vitest";
import { account, ACCOUNTS, connect } from "../sandbox-client.ts";

const NOBODY = { authorization: "" };

test("the history can be fetched, as a list or line by line", async () => {
  const { post, get, admin } = await connect();
  await post(ACCOUNTS, account("E-1"));
  const { json } = await get("/admin/history", admin);
  expect(json).toMatchObject([{ request: 1, key: "E-1", status: 201, processed: true }]);
  const lines = await get("/admin/history?format=ndjson", admin);
  expect(lines.headers["content-type"]).toBe("application/x-ndjson");
  expect(
    lines.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).key),
  ).toEqual(["E-1"]);
});

test("the accounts can be fetched without their payloads", async () => {
  const { post, get, admin } = await connect();
  const { json } = await post(ACCOUNTS, account("E-1", { billing_postcode: "SW1A 1AA" }));
  const accounts = await get("/admin/accounts", admin);
  expect(accounts.json).toEqual([
    { number: json.account_number, supplier: "SANDBOX", key: "E-1", importedAt: expect.any(String) },
  ]);
});

test("faults can be changed, which restarts the request counter", async () => {
  const { post, get, admin } = await connect({ faults: { errorBefore: { every: 1 } } });
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(500);
  const changed = await post("/admin/faults", { throttle: "at:2", resetAfter: "5%", latencyMs: [1, 2] }, admin);
  const expected = { throttle: { at: [2] }, resetAfter: { share: 0.05 }, latencyMs: [1, 2] };
  expect([changed.status, changed.json]).toEqual([200, expected]);
  expect((await get("/admin/faults", admin)).json).toEqual(expected);
  await post("/admin/faults", { throttle: { every: 2 } }, admin);
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
])("invalid faults are refused: %j", async (faults, named) => {
  const { post, admin } = await connect();
  const { status, json } = await post("/admin/faults", faults, admin);
  expect(status).toBe(400);
  expect(json.detail).toContain(`"${named}"`);
});

test.each([
  ["a program without credentials", {}],
  ["a program that knows the API key", { authorization: "API key" }],
  ["another origin", { origin: "https://evil.example" }],
  ["a page that hides its origin", { origin: "null" }],
  ["another port of this machine", { origin: "https://127.0.0.1:1" }],
  ["the same address without TLS", { origin: "http://127.0.0.1" }],
  ["another host name (DNS rebinding)", { host: "evil.example", origin: "https://evil.example" }],
  ["a link on another site", { "sec-fetch-site": "cross-site" }],
])("refuses an admin request from %s without the admin token", async (_, given: Record<string, string>) => {
  const { call, sandbox, admin } = await connect();
  const authorization = given["authorization"] && `Token ${sandbox.ready.apiKey}`;
  const headers = { ...NOBODY, ...given, ...(authorization !== undefined && { authorization }) };
  for (const [method, path] of [
    ["GET", "/admin/history"],
    ["POST", "/admin/reset"],
  ] as const) {
    const body = method === "POST" ? "{}" : undefined;
    const refused = await call(method, path, body, headers);
    expect(refused).toMatchObject({ status: 403, json: { code: "permission_denied" } });
    expect((await call(method, path, body, { ...headers, ...admin })).status).toBe(200);
  }
});

test("accepts admin requests whose origin is the sandbox itself", async () => {
  const { get, sandbox } = await connect();
  const { origin, port } = new URL(sandbox.ready.baseUrl);
  expect((await get("/admin/history", { ...NOBODY, origin, "sec-fetch-site": "same-origin" })).status).toBe(200);
  const named = { host: `localhost:${port}`, origin: `https://localhost:${port}` };
  expect((await get("/admin/history", { ...NOBODY, ...named })).status).toBe(200);
});

test("an import supplier can be paused and resumed", async () => {
  const { post, admin } = await connect();
  expect((await post("/admin/suppliers/SANDBOX", { status: "Paused" }, admin)).status).toBe(200);
  expect((await post(ACCOUNTS, account("E-1"))).json.code).toBe("import_supplier_migration_not_ongoing");
  await post("/admin/suppliers/SANDBOX", { status: "Ongoing" }, admin);
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(201);
  expect((await post("/admin/suppliers/SANDBOX", { status: "Gone" }, admin)).status).toBe(400);
  expect((await post("/admin/suppliers/NOBODY", { status: "Paused" }, admin)).status).toBe(404);
});

test("the status of every supplier can be read, at the start and after changes", async () => {
  const { post, get, admin } = await connect({ suppliers: { SPRING: "Ongoing", WINTER: "Paused" } });
  expect((await get("/admin/suppliers", admin)).json).toEqual({ SPRING: "Ongoing", WINTER: "Paused" });
  await post("/admin/suppliers/SPRING", { status: "Complete" }, admin);
  expect((await get("/admin/suppliers", admin)).json).toEqual({ SPRING: "Complete", WINTER: "Paused" });
});

test("tokens can be rotated", async () => {
  const { post, sandbox, admin } = await connect();
  const query = `mutation { ObtainServiceToken(input: { APIKey: "${sandbox.ready.apiKey}" }) { token } }`;
  const { json } = await post("graphql/", { query });
  const headers = { authorization: `Token ${json.data.ObtainServiceToken.token}` };
  expect((await post(ACCOUNTS, account("E-1"), headers)).status).toBe(201);
  await post("/admin/tokens/rotate", {}, admin);
  expect((await post(ACCOUNTS, account("E-2"), headers)).json.code).toBe("authentication_failed");
});

test("a reset removes accounts, history and faults, and sets the suppliers to Ongoing", async () => {
  const { post, sandbox, admin } = await connect({ faults: { pauseAt: 2 } });
  await post(ACCOUNTS, account("E-1"));
  await post(ACCOUNTS, account("E-2"));
  await post("/admin/reset", {}, admin);
  expect([sandbox.state.accounts(), sandbox.history(), sandbox.state.supplierStatus("SANDBOX")]).toEqual([
    [],
    [],
    "Ongoing",
  ]);
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(201);
  expect((await post(ACCOUNTS, account("E-2"))).status).toBe(201);
});
