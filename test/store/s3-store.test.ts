import { describe, expect, onTestFinished, test } from "vitest";
import type { DocumentStore } from "../../src/store/document-store.ts";
import { openStore, type StoreOptions } from "../../src/store/open-store.ts";
import { type Action, reply, resetSilently, type SeenRequest, startChaosServer } from "../chaos-server.ts";
import { storeOptions } from "./scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CREDENTIALS = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "a-secret", sessionToken: "a-session" };
const credentials = async (): Promise<() => Promise<typeof CREDENTIALS>> => async () => CREDENTIALS;
const LISTED: Action = reply(200, "<ListBucketResult></ListBucketResult>");

interface Scene {
  readonly requests: readonly SeenRequest[];
  readonly waits: readonly number[];
  readonly open: (more?: Partial<StoreOptions>) => Promise<DocumentStore>;
}

/** Starts a store that gives these replies to list requests and to document requests. */
async function scene(list: readonly Action[], documents: readonly Action[] = []): Promise<Scene> {
  const left = { GET: [...list], HEAD: [...documents] };
  const server = await startChaosServer(({ method }) => {
    const actions = method === "HEAD" ? left.HEAD : left.GET;
    return (actions.length > 1 ? actions.shift() : actions[0]) ?? LISTED;
  });
  onTestFinished(server.close);
  const waits: number[] = [];
  const clock = {
    now: () => Date.UTC(2026, 10, 20, 9, 30),
    monotonic: () => 0,
    sleep: async (ms: number) => void waits.push(ms),
  };
  return {
    requests: server.requests,
    waits,
    open: async (more = {}) => {
      const options = { endpoint: server.baseUrl.origin, region: "eu-west-2", ca: server.ca, clock };
      const store = await openStore(
        storeOptions({ location: "s3://files/in/here/", credentials, ...options, ...more }),
      );
      onTestFinished(store.close);
      return store;
    },
  };
}

test("requests are signed for the region of the store, with the session token", async () => {
  const { open, requests } = await scene([LISTED], [reply(200, "")]);
  const store = await open();
  expect(store.name).toBe("s3://files/in/here");
  expect(await store.has("a b/é+.pdf")).toBe(true);
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /files?list-type=2&max-keys=1&prefix=in%2Fhere%2F",
    "HEAD /files/in/here/a%20b/%C3%A9%2B.pdf",
  ]);
  for (const { headers } of requests) {
    expect(headers).toMatchObject({
      "x-amz-date": "20261120T093000Z",
      "x-amz-security-token": "a-session",
      "user-agent": "test",
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/20261120\/eu-west-2\/s3\/aws4_request, /,
      ),
    });
    expect(JSON.stringify(headers)).not.toContain("a-secret");
  }
});

test("requests are retried with growing delays after temporary faults of the store", async () => {
  const { open, waits } = await scene([reply(503, ""), resetSilently, LISTED], [reply(500, ""), reply(404, "")]);
  expect(await (await open()).has("a.pdf")).toBe(false);
  expect(waits).toEqual([250, 500, 250]);
});

describe("the store cannot be used because of", () => {
  test.each<readonly [string, Action, object]>([
    ["a permanent 503", reply(503, ""), { code: "store_unreachable", message: /keeps replying with status 503/ }],
    ["permanently lost connections", resetSilently, { code: "store_unreachable", message: /cannot reach the store/ }],
    ["403", reply(403, ""), { code: "store_refused", message: /bucket files: 403$/ }],
    ["400", reply(400, ""), { code: "store_refused", message: /400$/ }],
    ["a redirect", reply(307, "", { location: "https://elsewhere.example/" }), { code: "redirect", message: /307/ }],
    [
      "another region",
      reply(301, "", { "x-amz-bucket-region": "us-west-1" }),
      { code: "config", message: /region us-west-1, not in eu-west-2/, hint: "pass --region us-west-1" },
    ],
  ])("%s", async (_, action, { message, ...failure }: { message?: RegExp }) => {
    const { open, requests } = await scene([LISTED], [action]);
    const refused: unknown = await (await open()).has("a.pdf").catch((error: unknown) => error);
    expect(refused).toMatchObject({ ...failure, message: expect.stringMatching(message ?? /./) });
    expect(String(refused)).not.toContain("a.pdf");
    expect(requests.length).toBeLessThanOrEqual(7);
  });

  test("a web page instead of a list", async () => {
    const { open } = await scene([reply(200, "<html>Welcome</html>")], [reply(200, "")]);
    await expect(open()).rejects.toMatchObject({ code: "wrong_endpoint" });
  });

  test("missing credentials", async () => {
    const { open, requests } = await scene([]);
    await expect(open({ credentials: async () => undefined })).rejects.toMatchObject({ code: "config" });
    expect(requests).toEqual([]);
  });
});

test.each<readonly [string, Partial<StoreOptions>]>([
  ["no bucket", { location: "s3://" }],
  ["another scheme", { location: "https://files" }],
  ["plain http", { endpoint: "http://127.0.0.1:1" }],
  ["plain http to another host", { endpoint: "http://store.example", allowInsecureLoopback: true }],
  ["an invalid address", { endpoint: "store" }],
  ["a path", { endpoint: "https://store.example/files" }],
  ["credentials", { endpoint: "https://key:secret-word@store.example" }],
  ["an invalid region", { region: "eu/west" }],
])("a store with %s is refused", async (_, more) => {
  const { open } = await scene([]);
  const refused: unknown = await open({ location: "s3://files", ...more }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "usage" });
  expect(JSON.stringify(refused) + String(refused)).not.toContain("secret-word");
});

test("a folder needs no credentials", async () => {
  const store = await openStore(storeOptions({ location: temporaryFolder() }));
  expect(await store.has("a.pdf")).toBe(false);
});
