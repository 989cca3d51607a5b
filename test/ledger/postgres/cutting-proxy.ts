import { connect, createServer, type Server, type Socket } from "node:net";

/** A proxy for a PostgreSQL server. It reads the messages, so connections must not use TLS. */
export interface CuttingProxy {
  readonly port: number;
  /**
   * Delivers the next message with this text (default: a commit) to the server, and then cuts the connection.
   * @param after text of an earlier message; messages before it are not cut
   */
  readonly cutNext: (text?: string, after?: string) => void;
  /** Silently drops the client's next message with this text and every later message on its connection. */
  readonly stallNext: (text: string) => void;
  readonly cuts: () => number;
  readonly stop: () => Promise<void>;
}

export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  let cutAt: string | undefined;
  let cutAfter = "";
  let stallAt: string | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const proxy: Server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isCut = false;
    let isStalled = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    client.on("data", (bytes) => {
      const isArmed = cutAfter === "";
      if (bytes.includes(cutAfter)) cutAfter = "";
      if (isArmed && cutAt !== undefined && bytes.includes(cutAt)) {
        cutAt = undefined;
        isCut = true;
        cuts += 1;
      }
      if (stallAt !== undefined && bytes.includes(stallAt)) {
        stallAt = undefined;
        isStalled = true;
      }
      if (!isStalled) upstream.write(bytes);
    });
    // After a cut, a reply proves that the commit is done. The reply is not forwarded.
    upstream.on("data", (bytes) => (isCut ? end() : client.write(bytes)));
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  const address = proxy.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    cutNext(text = "commit\0", after = "") {
      cutAt = text;
      cutAfter = after;
    },
    stallNext(text) {
      stallAt = text;
    },
    cuts: () => cuts,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void proxy.close(resolve));
    },
  };
}
