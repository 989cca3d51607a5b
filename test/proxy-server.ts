import { createServer, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** A tunnel request as received by the proxy. */
interface SeenTunnel {
  /** `host:port` */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ProxyServer {
  readonly url: URL;
  readonly tunnels: readonly SeenTunnel[];
  readonly close: () => Promise<void>;
}

export interface ProxyOptions {
  /** Required `user:password`. */
  readonly credentials?: string;
  /** Status of the reply that the proxy sends instead of opening a tunnel. `nothing` means no reply. */
  readonly refuses?: number | "nothing";
}

/** Starts a local proxy that supports only `CONNECT`. */
export async function startProxyServer({ credentials, refuses }: ProxyOptions = {}): Promise<ProxyServer> {
  const tunnels: SeenTunnel[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((_, response: ServerResponse) => response.writeHead(405).end());
  server.on("connection", keep);
  server.on("connect", ({ url = "", headers }, client: Socket) => {
    tunnels.push({ target: url, headers });
    if (refuses === "nothing") return;
    const status = wanted !== undefined && headers["proxy-authorization"] !== wanted ? 407 : (refuses ?? 200);
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    keep(upstream);
    upstream.on("close", () => client.destroy());
  });
  return {
    url: await listen(server),
    tunnels,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: Server): Promise<URL> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(new URL(`http://127.0.0.1:${isAddress(address) ? address.port : 0}`));
    });
  });
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
