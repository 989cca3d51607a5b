import { afterEach, describe, expect, test } from "vitest";
import { classifyError } from "../../src/platform/reply/classify-error.ts";
import { type HttpReply, TransportError } from "../../src/transport/http.ts";
import { parseProxyUrl } from "../../src/transport/proxy-tunnel.ts";
import { createHttp, type HttpOptions } from "../../src/transport/http-client.ts";
import { type Action, type ChaosServer, closeSilently, reply, neverAnswer, startChaosServer } from "../chaos-server.ts";
import { type ProxyOptions, type ProxyServer, startProxyServer } from "../proxy-server.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Scene {
  readonly server: ChaosServer;
  readonly proxy: ProxyServer;
  readonly post: () => Promise<HttpReply | TransportError>;
}

async function scene(
  act: Action,
  options: ProxyOptions & Partial<HttpOptions> & { readonly sends?: string; readonly tls?: boolean } = {},
): Promise<Scene> {
  const server = await startChaosServer(() => act, { tls: options.tls ?? true });
  const proxy = await startProxyServer(options);
  const { http, close } = createHttp({
    origin: server.baseUrl,
    connections: 1,
    ca: server.ca,
    timeouts: { connectMs: 10_000, headersMs: 400, totalMs: 20_000 },
    ...options,
    proxy: options.proxy ?? { url: proxy.url, credentials: options.sends },
  });
  cleanups.push(close, proxy.close, server.close);
  const post = (): Promise<HttpReply | TransportError> =>
    http({
      method: "POST",
      url: new URL("x/", server.baseUrl),
      headers: { authorization: "Token t" },
      body: "{}",
    }).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error;
    });
  return { server, proxy, post };
}

describe("a tunnel", () => {
  test("carries TLS to the platform, and the proxy sees only the host", async () => {
    const { server, proxy, post } = await scene(reply(201, { account_number: "A-1" }));
    expect(await post()).toMatchObject({ status: 201 });
    expect(await post()).toMatchObject({ status: 201 });
    expect(server.requests).toHaveLength(2);
    expect(proxy.tunnels).toEqual([{ target: server.baseUrl.host, headers: expect.anything() }]);
    expect(JSON.stringify(proxy.tunnels)).not.toContain("Token t");
    expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toContain("proxy-");
  });

  test("also carries plain HTTP to this machine", async () => {
    const { post } = await scene(reply(200, {}), { tls: false });
    expect(await post()).toMatchObject({ status: 200 });
  });

  test("is opened with the proxy's own credentials", async () => {
    const wanted = await scene(reply(201, {}), { credentials: "me:se cret", sends: "me:se cret" });
    expect(await wanted.post()).toMatchObject({ status: 201 });
  });

  test.each([
    ["closed without a reply", closeSilently, "UND_ERR_SOCKET"],
    ["silent", neverAnswer, "UND_ERR_HEADERS_TIMEOUT"],
  ])("attributes a fault inside it to the platform: %s", async (_, act, code) => {
    const { post } = await scene(act);
    expect(await post()).toMatchObject({ phase: "sent", code });
  });
});

describe("without a tunnel, no byte of the request is sent:", () => {
  const ORIGIN = "https://platform.example";

  test.each<[string, ProxyOptions, string, string]>([
    ["the proxy requires credentials", { credentials: "me:x" }, "PROXY_407", "stop"],
    ["the proxy refuses", { refuses: 403 }, "PROXY_403", "stop"],
    ["the proxy cannot reach the platform", { refuses: 502 }, "PROXY_502", "unsent"],
    ["the proxy does not reply", { refuses: "nothing" }, "PROXY_TIMEOUT", "unsent"],
  ])("%s", async (_, options, code, kind) => {
    const { server, post } = await scene(reply(201, {}), options);
    const error = await post();
    expect(error).toMatchObject({ phase: "unsent", code });
    expect(server.connections()).toBe(0);
    expect(error instanceof TransportError ? classifyError(error, ORIGIN).replyClass : undefined).toMatchObject({
      kind,
    });
  });

  test("the proxy's port is closed", async () => {
    const { proxy, post } = await scene(reply(201, {}));
    await proxy.close();
    expect(await post()).toMatchObject({ phase: "unsent", code: "PROXY_ECONNREFUSED" });
  });

  test("the proxy's host does not exist", async () => {
    const { post } = await scene(reply(201, {}), { proxy: { url: new URL("http://nope.invalid:3128") } });
    expect(await post()).toMatchObject({
      phase: "unsent",
      code: expect.stringMatching(/^PROXY_(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  test.each([
    ["PROXY_ENOTFOUND", { kind: "stop", failure: { code: "config", message: "the proxy cannot be found" } }],
    ["PROXY_EAI_AGAIN", { kind: "unsent", code: "PROXY_EAI_AGAIN" }],
  ])("the proxy's name cannot be resolved: %s", (code, replyClass) => {
    const error = new TransportError("unsent", "no proxy", { code, durationMs: 1 });
    expect(classifyError(error, ORIGIN)).toMatchObject({ replyClass });
  });

  test("the proxy's certificate is not trusted", async () => {
    const otherServer = await startChaosServer(() => reply(200, {}));
    cleanups.push(otherServer.close);
    const { post } = await scene(reply(201, {}), { proxy: { url: otherServer.baseUrl, credentials: "me:secret" } });
    const error = await post();
    expect(error).toMatchObject({ phase: "unsent", code: "PROXY_DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(otherServer.requests).toHaveLength(0);
    expect(error instanceof TransportError ? classifyError(error, ORIGIN).replyClass : undefined).toMatchObject({
      kind: "stop",
      failure: { code: "tls" },
    });
  });

  test("the platform's certificate, received through the proxy, is not trusted", async () => {
    const other = await startChaosServer(() => reply(200, {}));
    cleanups.push(other.close);
    const { server, post } = await scene(reply(201, {}), { ca: other.ca });
    expect(await post()).toMatchObject({ phase: "unsent", code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(server.requests).toHaveLength(0);
  });
});

test.each(["proxy", "socks5://proxy:1080", "ftp://proxy/", "http://me:secret-word@proxy:3128", ""])(
  "%j is not a proxy address",
  (text) => {
    const parse = (): URL => parseProxyUrl(text);
    expect(parse).toThrow(expect.objectContaining({ code: "usage" }));
    expect(parse).not.toThrow(/secret-word/);
  },
);
