import { expect, test } from "vitest";
import { account, ACCOUNTS, type Answer, connect } from "../sandbox-client.ts";

/** Returns the outcome of each request: the status of its reply (0: no reply), and whether it was processed. */
async function outcomesOf(faults: Parameters<typeof connect>[0], requests: number): Promise<readonly string[]> {
  const { post, sandbox } = await connect(faults);
  for (let number = 1; number <= requests; number += 1)
    await post(ACCOUNTS, account(`E-${number}`)).catch(() => undefined);
  return sandbox.history().map(({ status = 0, processed }) => `${status}${processed ? " processed" : ""}`);
}

test("every nth request is answered with 429 and Retry-After, and is not processed", async () => {
  const { post, sandbox } = await connect({ faults: { throttle: { every: 2 }, retryAfter: 7 } });
  expect((await post(ACCOUNTS, account("E-1"))).status).toBe(201);
  const { status, headers, json } = await post(ACCOUNTS, account("E-2"));
  expect([status, headers["retry-after"], json.code]).toEqual([429, "7", "throttled"]);
  expect(sandbox.state.accounts()).toHaveLength(1);
});

test.each([
  ["none", undefined],
  ["Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 GMT"],
  [0, "0"],
] as const)("Retry-After %j is sent as %j", async (retryAfter, header) => {
  const { post } = await connect({ faults: { throttle: { every: 1 }, retryAfter } });
  expect((await post(ACCOUNTS, account("E-1"))).headers["retry-after"]).toBe(header);
});

test("a share of the requests fails, and the same seed makes the same requests fail", async () => {
  const settings = { faults: { throttle: { share: 0.5 }, seed: 42 } };
  const first = await outcomesOf(settings, 24);
  expect(first.filter((fate) => fate === "429").length).toBeGreaterThan(4);
  expect(first).toContain("201 processed");
  expect(await outcomesOf(settings, 24)).toEqual(first);
  expect(await outcomesOf({ faults: { ...settings.faults, seed: 43 } }, 24)).not.toEqual(first);
});

test("a request is answered with a server error before or after processing", async () => {
  expect(await outcomesOf({ faults: { errorBefore: { at: [1] }, errorAfter: { at: [2] } } }, 3)).toEqual([
    "500",
    "500 processed",
    "201 processed",
  ]);
});

test.each([502, 503, 504] as const)("an injected error can be a %i with a proxy's error page", async (errorStatus) => {
  const { post } = await connect({ faults: { errorBefore: { every: 1 }, errorStatus } });
  const { status, text, headers } = await post(ACCOUNTS, account("E-1"));
  expect(status).toBe(errorStatus);
  expect(text).toContain("<h1>");
  expect(headers["retry-after"]).toBe(errorStatus === 503 ? "1" : undefined);
});

test("the connection is reset before or after processing", async () => {
  const { post, sandbox } = await connect({ faults: { resetBefore: { at: [1] }, resetAfter: { at: [2] } } });
  await expect(post(ACCOUNTS, account("E-1"))).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect(post(ACCOUNTS, account("E-2"))).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(sandbox.state.accounts().map(({ key }) => key)).toEqual(["E-2"]);
  expect(sandbox.history()).toMatchObject([{ processed: false }, { processed: true }]);
  expect(sandbox.history().every((entry) => !("status" in entry))).toBe(true);
});

test("a request gets no reply, whether or not it is processed", async () => {
  const { post, sandbox } = await connect({ faults: { hangBefore: { at: [1] }, hangAfter: { at: [2] } } });
  let answered = 0;
  const ended = ["E-1", "E-2"].map((key) =>
    post(ACCOUNTS, account(key)).then(
      () => (answered += 1),
      () => undefined,
    ),
  );
  await post(ACCOUNTS, account("E-3"));
  expect(answered).toBe(0);
  expect(sandbox.state.accounts()).toHaveLength(2);
  await sandbox.close();
  await Promise.all(ended);
  expect(answered).toBe(0);
});

test("a request whose reply is truncated is processed, and the history shows the status of the reply", async () => {
  const { post, sandbox } = await connect({ faults: { cutAfter: { every: 1 } } });
  await expect(post(ACCOUNTS, account("E-1"))).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(sandbox.history()).toMatchObject([{ status: 201, processed: true }]);
});

test("the import supplier becomes Paused at the configured request", async () => {
  const { post, sandbox } = await connect({ faults: { pauseAt: 2 } });
  const replies: Answer[] = [];
  for (const key of ["E-1", "E-2", "E-3"]) replies.push(await post(ACCOUNTS, account(key)));
  expect(replies.map(({ status, json }) => [status, json.code])).toEqual([
    [201, undefined],
    [400, "import_supplier_migration_not_ongoing"],
    [400, "import_supplier_migration_not_ongoing"],
  ]);
  expect(sandbox.state.supplierStatus("SANDBOX")).toBe("Paused");
});

test("tokens are revoked at the configured request", async () => {
  const { post, sandbox } = await connect({ faults: { rotateTokensAt: 2 } });
  const query = `mutation { obtainKrakenToken(input: { APIKey: "${sandbox.ready.apiKey}" }) { token } }`;
  const { json } = await post("graphql/", { query });
  const headers = { authorization: `Token ${json.data.obtainKrakenToken.token}` };
  expect((await post(ACCOUNTS, account("E-1"), headers)).status).toBe(201);
  expect((await post(ACCOUNTS, account("E-2"), headers)).status).toBe(401);
});

test("requests beyond the concurrency limit are answered with 429", async () => {
  const { post } = await connect({ faults: { maxInFlight: 2, latencyMs: 600 } });
  const replies = await Promise.all(["E-1", "E-2", "E-3", "E-4"].map((key) => post(ACCOUNTS, account(key))));
  const statuses = replies.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(2);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  expect((await post(ACCOUNTS, account("E-5"))).status).toBe(201);
});

test("requests beyond the rate limit are answered with 429", async () => {
  let now = 0;
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  const { post } = await connect({ clock, faults: { maxPerSecond: 2 } });
  const status = async (key: string): Promise<number> => (await post(ACCOUNTS, account(key))).status;
  expect([await status("E-1"), await status("E-2"), await status("E-3")]).toEqual([201, 201, 429]);
  now = 500;
  expect([await status("E-3"), await status("E-4")]).toEqual([201, 429]);
});

test("the latency of a reply is within the configured bounds", async () => {
  const slept: number[] = [];
  const clock = { now: () => 0, monotonic: () => 0, sleep: (ms: number) => Promise.resolve(void slept.push(ms)) };
  const { post } = await connect({ clock, faults: { latencyMs: [20, 80] } });
  for (const key of ["E-1", "E-2", "E-3", "E-4"]) await post(ACCOUNTS, account(key));
  expect(slept).toHaveLength(4);
  expect(Math.min(...slept)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...slept)).toBeLessThanOrEqual(80);
  expect(new Set(slept).size).toBe(4);
});

test("a forgetful platform creates a second account", async () => {
  const { post, sandbox } = await connect({ faults: { forgetful: true } });
  const [one, two] = [await post(ACCOUNTS, account("E-1")), await post(ACCOUNTS, account("E-1"))];
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(one.json.account_number).not.toBe(two.json.account_number);
  expect(sandbox.state.accounts()).toHaveLength(2);
});

test("faults apply only to data-import requests", async () => {
  const { get } = await connect({ faults: { errorBefore: { every: 1 }, throttle: { every: 1 } } });
  expect((await get("products/")).status).toBe(200);
});
