import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { trustingConnector } from "../../src/transport/http-client.ts";
import { errorCode } from "../../src/files/error-code.ts";
import { type ChaosOptions, type ChaosServer, reply, startChaosServer } from "../chaos-server.ts";

interface NamedServer extends ChaosServer {
  readonly servername: string;
}

/** Starts a server with its own host name, because OpenSSL finds a certificate by its name. */
async function serverOf(name: string, options: ChaosOptions = {}): Promise<NamedServer> {
  const servername = `${name}.example`;
  const server = await startChaosServer(() => reply(200, "{}"), { host: servername, ...options });
  onTestFinished(server.close);
  return { ...server, servername };
}

/** Returns the result of a connection: `open`, or the error's code. */
function connectTo(
  connect: ReturnType<typeof trustingConnector>,
  { baseUrl, servername }: NamedServer,
): Promise<string> {
  const { hostname, host, protocol, port } = baseUrl;
  return new Promise((resolve) => {
    connect({ hostname, host, protocol, port, servername }, (error: Error | null, socket: Socket | null) => {
      socket?.destroy();
      resolve(error === null ? "open" : (errorCode(error) ?? error.message));
    });
  });
}

test("accepts servers with a certificate from a trusted authority or with a given certificate, in any order", async () => {
  const [known, given, other] = [await serverOf("known"), await serverOf("given"), await serverOf("other")];
  const trust = { ca: given.ca, authorities: [known.ca], timeoutMs: 5_000 };
  for (const servers of [
    [given, known, given],
    [known, given, known],
  ]) {
    const connect = trustingConnector(trust);
    for (const server of servers) expect(await connectTo(connect, server)).toBe("open");
    expect(await connectTo(connect, other)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  }
  expect(await connectTo(trustingConnector({ timeoutMs: 5_000 }), given)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
});

test("finds the signing authority for several concurrent connections", async () => {
  const [known, given] = [await serverOf("known"), await serverOf("given")];
  const connect = trustingConnector({ ca: given.ca, authorities: [known.ca], timeoutMs: 5_000 });
  const opened = await Promise.all(Array.from({ length: 5 }, () => connectTo(connect, known)));
  expect(opened).toEqual(["open", "open", "open", "open", "open"]);
});

test("refuses a certificate that has expired or belongs to another host, for any authority", async () => {
  for (const [options, code] of [
    [{ expired: true }, "CERT_HAS_EXPIRED"],
    [{ host: "elsewhere.example" }, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ] as const) {
    const server = await serverOf("refused", options);
    expect(await connectTo(trustingConnector({ ca: server.ca, timeoutMs: 5_000 }), server)).toBe(code);
    const signed = { ca: (await serverOf("given")).ca, authorities: [server.ca], timeoutMs: 5_000 };
    expect(await connectTo(trustingConnector(signed), server)).toBe(code);
  }
});
