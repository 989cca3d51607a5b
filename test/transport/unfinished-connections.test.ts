import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHttp } from "../../src/transport/http-client.ts";

/** Starts a server that accepts connections and never replies. `reply` is the first answer to each connection. */
async function silentServer(reply = ""): Promise<{ readonly port: number; readonly opened: Promise<Socket> }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    if (reply === "") socket.resume();
    else socket.once("data", () => socket.write(reply));
  });
  onTestFinished(() => void server.close());
  const opened = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const address = await new Promise<AddressInfo | string | null>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address()));
  });
  return { port: address !== null && typeof address === "object" ? address.port : 0, opened };
}

test.each([
  ["a TLS handshake", "", undefined],
  ["a tunnel through a proxy", "", "http:"],
  ["a TLS handshake with a proxy", "", "https:"],
  ["a TLS handshake through a proxy", "HTTP/1.1 200 OK\r\n\r\n", "http:"],
])(
  "a closed client ends %s that never gets a reply (it kept the process alive)",
  async (_, reply, scheme) => {
    const { port, opened } = await silentServer(reply);
    const origin = new URL(`https://127.0.0.1:${port}`);
    const proxy = scheme && { proxy: { url: new URL(`${scheme}//127.0.0.1:${port}`) } };
    const client = createHttp({ origin, connections: 1, timeouts: { connectMs: 60_000 }, ...proxy });
    const refused = client.http({ method: "GET", url: new URL("/v1/", origin), headers: {} }).catch(() => undefined);
    const socket = await opened;
    if (reply !== "") await new Promise((resolve) => socket.once("data", () => socket.once("data", resolve)));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await client.close();
    await Promise.all([ended, refused]);
    expect(socket.destroyed).toBe(true);
  },
  10_000,
);
