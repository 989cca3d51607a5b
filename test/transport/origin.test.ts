import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { joinPath, parseBaseUrl } from "../../src/transport/base-url.ts";
import { createHttp } from "../../src/transport/http-client.ts";
import { reply, startChaosServer } from "../chaos-server.ts";

const PIECES = fc.constantFrom(
  ..."/|//|\\|\\\\|@|:|?|#|%|%2f|%00|.|..|evil.example|https:|http://|user:secret@|[::1]|\u0000|\t|\n|\uff0f|xn--|v1/|v2/| ".split(
    "|",
  ),
  "data-import",
);

test("a request stays on the base URL's origin for any path of the contract", () => {
  const base = parseBaseUrl("https://api.example.com:8443/eu/v1/", { allowInsecureLoopback: false });
  fc.assert(
    fc.property(fc.array(PIECES, { maxLength: 12 }), (parts) => {
      const { origin, username, password } = joinPath(base, parts.join(""));
      expect([origin, username, password]).toEqual([base.origin, "", ""]);
    }),
    { numRuns: 2000 },
  );
});

test("a request to any other origin is refused before it or its credentials are sent", async () => {
  const home = await startChaosServer(() => reply(200, "{}"));
  onTestFinished(home.close);
  const other = await startChaosServer(() => reply(200, "{}"));
  onTestFinished(other.close);
  const { http, close } = createHttp({ origin: home.baseUrl, connections: 1, ca: home.ca });
  onTestFinished(close);
  const headers = { authorization: "Token canary" };
  const { port } = home.baseUrl;
  for (const href of [
    other.baseUrl.href,
    `http://localhost:${port}/v1/`,
    `https://127.0.0.1:${port}/v1/`,
    `https://localhost.:${port}/v1/`,
    `https://user@localhost:${other.baseUrl.port}/v1/`,
  ]) {
    await expect(http({ method: "POST", url: new URL(href), headers, body: "{}" })).rejects.toMatchObject({
      code: "redirect",
    });
  }
  expect([home.connections(), other.connections()]).toEqual([0, 0]);
  await http({ method: "POST", url: home.baseUrl, headers, body: "{}" });
  expect(home.requests.map((request) => request.headers["authorization"])).toEqual(["Token canary"]);
});
