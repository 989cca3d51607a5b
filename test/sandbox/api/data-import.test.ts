import { expect, test } from "vitest";
import { account, ACCOUNTS, connect, CONTRACT } from "../sandbox-client.ts";

test("an account is created once per supplier and business key", async () => {
  const { post, sandbox } = await connect();
  const first = await post(ACCOUNTS, account("E-1"));
  expect(first.status).toBe(201);
  expect(first.json).toEqual({
    external_account_number: "E-1",
    account_number: expect.stringMatching(/^A-[0-9A-F]{8}$/),
  });

  const again = await post(ACCOUNTS, account("E-1"));
  expect(again.status).toBe(400);
  expect(again.json).toEqual({
    detail: expect.any(String),
    code: "account_already_imported",
    errors: [],
    account_number: first.json.account_number,
  });
  expect(sandbox.state.accounts()).toHaveLength(1);
});

test("an invalid payload gets the reply that section 7 of the API specification describes", async () => {
  const { post, sandbox } = await connect();
  const { status, json } = await post(ACCOUNTS, {
    import_supplier: "SANDBOX",
    customers: [{ family_name: "" }, 7],
    extra: 1,
  });
  expect(status).toBe(400);
  expect(json.code).toBe("account_failed_validation");
  expect(json.detail).toEqual(expect.any(String));
  const found = json.errors.map((error: { attr: string; code: string }) => `${error.attr} ${error.code}`);
  expect(found.toSorted()).toEqual([
    "customers.0.family_name blank",
    "customers.1.non_field_errors invalid",
    "external_account_number required",
    "extra unknown_field",
  ]);
  for (const error of json.errors) expect(Object.keys(error).toSorted()).toEqual(["attr", "code", "detail"]);
  expect(sandbox.state.accounts()).toEqual([]);
});

test("invalid phone numbers and postcodes, and unknown tariffs, products and import suppliers are refused", async () => {
  const { post } = await connect();
  const { json } = await post(ACCOUNTS, {
    ...account("E-1"),
    import_supplier: "NOBODY",
    billing_postcode: "SW1A 1CM",
    customers: [
      { family_name: "Bell", mobile: "12345" },
      { family_name: "Gray", mobile: "+44 7700 900123" },
    ],
    tariff_code: "E-1R-NOTHING-24-01-01-C",
    product_code: "NOTHING-24-01-01",
  });
  expect(json.errors.map(({ attr, code }: { attr: string; code: string }) => [attr, code])).toEqual([
    ["import_supplier", "does_not_exist"],
    ["billing_postcode", "invalid_postcode"],
    ["customers.0.mobile", "invalid_phone_number"],
    ["tariff_code", "product_code_does_not_exist"],
    ["product_code", "product_code_does_not_exist"],
  ]);
});

test("phone numbers, postcodes and products that the platform knows are accepted", async () => {
  const { post, sandbox } = await connect();
  const { tariff } = sandbox.ready;
  const good = account("E-1", {
    billing_postcode: "sw1a 1aa",
    customers: [{ family_name: "Bell", mobile: "07700 900123" }],
    tariff_code: tariff.tariff,
    product_code: tariff.product,
  });
  expect((await post(ACCOUNTS, good)).status).toBe(201);
});

test("validation creates nothing and returns the payload", async () => {
  const { post, sandbox } = await connect();
  const { status, json } = await post("data-import/accounts/validate/", account("E-1"));
  expect([status, json]).toEqual([200, account("E-1")]);
  expect(sandbox.state.accounts()).toEqual([]);
});

test("each note is added to an existing account once", async () => {
  const { post } = await connect();
  const notes = { ...account("E-1"), notes: [{ body: "Gate is locked" }, { body: "Dog" }] };
  expect((await post("data-import/notes/", notes)).status).toBe(404);
  await post(ACCOUNTS, account("E-1"));
  const first = await post("data-import/notes/", notes);
  expect(first.status).toBe(201);
  expect(first.json.map(({ status }: { status: string }) => status)).toEqual([
    "NOTE_CREATION_SUCCESS",
    "NOTE_CREATION_SUCCESS",
  ]);
  const more = { ...notes, notes: [{ body: "Dog" }, { body: "Dog", created_at: "2024-01-01T00:00:00Z" }] };
  const second = await post("data-import/notes/", more);
  expect(second.json.map(({ status }: { status: string }) => status)).toEqual([
    "NOTE_ALREADY_EXISTS",
    "NOTE_CREATION_SUCCESS",
  ]);
});

test.each(["Paused", "Complete"] as const)(
  "a supplier that is %s accepts no requests, not even for validation",
  async (status) => {
    const { post, sandbox } = await connect({ suppliers: { FIRST: "Ongoing", SECOND: status } });
    const refused = await post(ACCOUNTS, { ...account("E-1"), import_supplier: "SECOND" });
    expect([refused.status, refused.json.code]).toEqual([400, "import_supplier_migration_not_ongoing"]);
    expect(
      (await post("data-import/accounts/validate/", { ...account("E-1"), import_supplier: "SECOND" })).status,
    ).toBe(400);
    expect((await post(ACCOUNTS, { ...account("E-1"), import_supplier: "FIRST" })).status).toBe(201);
    expect(sandbox.ready.supplier).toBe("FIRST");
  },
);

test("the import suppliers are the suppliers that the contract enumerates", async () => {
  const supplier = {
    kind: "choice",
    choices: ["NORTH", "SOUTH"],
    nullable: false,
    deprecated: false,
    validators: [],
  } as const;
  const [first, ...others] = CONTRACT.operations;
  const body = {
    kind: "object",
    properties: new Map([
      ["import_supplier", { name: "import_supplier", required: true, readOnly: false, type: supplier }],
    ]),
    additional: "closed",
    nullable: false,
    deprecated: false,
    validators: [],
  } as const;
  const operations = first === undefined ? [] : [{ ...first, body }, ...others];
  const { sandbox, post } = await connect({ contract: { ...CONTRACT, operations } });
  expect(sandbox.ready.supplier).toBe("NORTH");
  expect((await post(ACCOUNTS, { ...account("E-1"), import_supplier: "SOUTH" })).status).toBe(201);
});

test("a path with its own version starts at the root of the instance, and an unknown operation accepts any valid body", async () => {
  const { post } = await connect();
  const { status, json } = await post("/v2/data-import/statements/", { import_supplier: "SANDBOX" });
  expect([status, json]).toEqual([201, { import_supplier: "SANDBOX" }]);
});

test("the business key and the import supplier of a wrapped payload are read inside the wrapper", async () => {
  const inner = {
    type: "object",
    properties: { external_account_number: { type: "string" }, import_supplier: { type: "string" } },
  };
  const schema = { type: "object", required: ["payload"], properties: { payload: inner } };
  const content = { "application/json": { schema } };
  const document = { openapi: "3.0.3", paths: { "/v2/accounts/": { post: { requestBody: { content } } } } };
  const operations = CONTRACT.operations.slice(0, 1).map((one) => ({ ...one, path: "/v2/accounts/", wrap: "payload" }));
  const { post, sandbox } = await connect({ contract: { ...CONTRACT, document, operations }, faults: { pauseAt: 2 } });
  expect((await post("/v2/accounts/", { payload: account("E-9") })).status).toBe(201);
  expect(sandbox.state.accounts()[0]).toMatchObject({ key: "E-9", supplier: "SANDBOX" });
  expect((await post("/v2/accounts/", { payload: account("E-10") })).status).toBe(400);
  expect(sandbox.state.supplierStatus("SANDBOX")).toBe("Paused");
});

test("a body that is not JSON or has another content type is refused as in Django", async () => {
  const { call } = await connect();
  const broken = await call("POST", ACCOUNTS, "{");
  expect([broken.status, broken.json.code]).toEqual([400, "parse_error"]);
  const form = await call("POST", ACCOUNTS, "{}", { "content-type": "text/plain" });
  expect([form.status, form.json.code]).toEqual([415, "unsupported_media_type"]);
});

test("unknown addresses and methods get the same replies as in Django", async () => {
  const { call, get } = await connect();
  const wrong = await call("PUT", ACCOUNTS, "{}");
  expect([wrong.status, wrong.json]).toEqual([
    405,
    { detail: 'Method "PUT" not allowed.', code: "method_not_allowed" },
  ]);
  expect((await get(ACCOUNTS)).status).toBe(405);
  const missing = await get("nothing/here/");
  expect([missing.status, missing.json]).toEqual([404, { detail: "Not found.", code: "not_found" }]);
  expect((await call("POST", "data-import/accounts", "{}")).status).toBe(404);
});

test("the history lists the received requests, but not their values", async () => {
  const { post, get, sandbox } = await connect();
  await post(ACCOUNTS, account("E-1", { customers: [{ family_name: "Canary" }] }));
  await post(ACCOUNTS, account("E-1"));
  await get("products/");
  expect(sandbox.history()).toMatchObject([
    { request: 1, method: "POST", path: "/v1/data-import/accounts/", key: "E-1", status: 201, processed: true },
    { request: 2, key: "E-1", status: 400, processed: false },
    { request: 3, method: "GET", path: "/v1/products/", status: 200 },
  ]);
  expect(JSON.stringify(sandbox.history())).not.toContain("Canary");
});
