import { createServer, connect, type Socket } from "node:net";

/** A TCP proxy for a local server. The proxy can hold back data, or reset connections. */
export interface ChaosProxy {
  /** The URL of the server with the port of the proxy. */
  readonly baseUrl: URL;
  /** Holds back all data silently, and resets new connections. */
  readonly partition: () => void;
  /** Ends the partition and forwards the held data. */
  readonly heal: () => void;
  /** Resets every open connection. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export interface ChaosProxyOptions {
  /** Bytes per second from client to server. */
  readonly bytesPerSecond?: number;
  /** Delay of each chunk from server to client, in milliseconds. */
  readonly delayMs?: () => number;
}

export async function startChaosProxy(server: URL, options: ChaosProxyOptions = {}): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let isCut = false;

  const through = (work: () => void): void => {
    if (isCut) held.push(work);
    else work();
  };
  const proxy = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined).on("close", () => sockets.delete(client));
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const behind = connect(Number(server.port), "localhost");
    sockets.add(behind);
    behind.on("error", () => client.destroy()).on("close", () => sockets.delete(behind));
    // A killed client may reset its connection.
    client.on("error", () => through(() => behind.destroy()));
    forward(client, behind, options.bytesPerSecond, through);
    delay(behind, client, options.delayMs, through);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "localhost", resolve);
  });
  const address = proxy.address();
  const baseUrl = new URL(server);
  if (typeof address === "object" && address !== null) baseUrl.port = String(address.port);
  return {
    baseUrl,
    partition() {
      isCut = true;
    },
    heal() {
      isCut = false;
      for (const work of held.splice(0)) work();
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Through = (work: () => void) => void;

function forward(from: Socket, to: Socket, bytesPerSecond = Number.POSITIVE_INFINITY, through: Through): void {
  let freeAt = 0;
  from.on("data", (chunk: Buffer) => {
    freeAt = Math.max(freeAt, performance.now()) + (chunk.length / bytesPerSecond) * 1000;
    const wait = freeAt - performance.now();
    if (wait <= 1) through(() => to.write(chunk));
    else setTimeout(() => through(() => to.write(chunk)), wait);
  });
  from.on("end", () => through(() => to.end()));
}

function delay(from: Socket, to: Socket, delayMs: () => number = () => 0, through: Through): void {
  let last: Promise<unknown> = Promise.resolve();
  from.on("data", (chunk: Buffer) => {
    const waited = new Promise((resolve) => setTimeout(resolve, delayMs()));
    last = last.then(() => waited).then(() => through(() => to.write(chunk)));
  });
  from.on("end", () => void last.then(() => through(() => to.end())));
}
