import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A platform without TLS that accepts and stores every request. */
export interface AcceptingPlatform {
  readonly baseUrl: string;
  /** Address and body of each request. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts a platform. `onRequest` receives the number of requests so far. */
export async function acceptingPlatform(
  onRequest: (count: number) => void = () => undefined,
): Promise<AcceptingPlatform> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      requests.push(`${request.url ?? ""} ${Buffer.concat(pieces).toString()}`);
      onRequest(requests.length);
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify({ account_number: `A-${requests.length}` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server.address());
  return {
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  return address;
}
