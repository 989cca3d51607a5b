import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHttp } from "../../src/transport/http-client.ts";
import { TransportError } from "../../src/transport/http.ts";
import { tlsFailure } from "../../src/transport/tls.ts";

/** Returns the failure that ends a run after a request over TLS to this port, or undefined if the run waits. */
async function failureAt(port: number): Promise<unknown> {
  const origin = new URL(`https://127.0.0.1:${port}`);
  const client = createHttp({ origin, connections: 1, timeouts: { connectMs: 1_200 } });
  onTestFinished(client.close);
  const error: unknown = await client
    .http({ method: "POST", url: new URL("/v1/", origin), headers: { authorization: "Token secret" }, body: "{}" })
    .catch((caught: unknown) => caught);
  return error instanceof TransportError ? tlsFailure(error, origin.origin) : error;
}

function listening(server: ReturnType<typeof createTcpServer>): Promise<number> {
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(portOf(server.address())));
  });
}

function portOf(address: AddressInfo | string | null): number {
  return address !== null && typeof address === "object" ? address.port : 0;
}

const NO_TLS = { code: "tls", exitCode: 4, message: expect.stringContaining("does not speak TLS") };

test("the run ends with an explanation if a plain HTTP server answers the handshake at an https base URL", async () => {
  expect(await failureAt(await listening(createServer((_, reply) => reply.end("hello"))))).toMatchObject(NO_TLS);
});

test("a plain HTTP server that ignores the handshake ends the run and gets no credentials (the run used to wait)", async () => {
  const seen: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      seen.push(text);
      if (text.startsWith("HEAD")) socket.end("HTTP/1.0 501 Unsupported method\r\n\r\n");
    });
  });
  expect(await failureAt(await listening(server))).toMatchObject(NO_TLS);
  expect(seen.join("")).not.toContain("secret");
});

test("a run still waits for a slow TLS server that refuses plain HTTP with 400", async () => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      if (chunk.toString("latin1").startsWith("HEAD")) socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
  });
  expect(await failureAt(await listening(server))).toBeUndefined();
});
