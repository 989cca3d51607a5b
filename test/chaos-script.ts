import type { Socket } from "node:net";
import { type Action, type ChaosOptions, type Piece, raw } from "./chaos-server.ts";

/** How far an exchange gets, in the order in which it gets there. */
export const PHASES = [
  "connection",
  "handshake",
  "request head",
  "half the request body",
  "request",
  "status line",
  "half the reply head",
  "reply head",
  "half the reply body",
] as const;
type ChaosPhase = (typeof PHASES)[number];

/** What happens there. */
export const MISCHIEFS = ["close", "reset", "stall", "garbage"] as const;
type Mischief = (typeof MISCHIEFS)[number];

const BODY = JSON.stringify({ account_number: "A-12AB34CD" });
const HEAD = `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`;

/** What of a good reply has left when something happens. */
const SAID: Readonly<Partial<Record<ChaosPhase, string>>> = {
  request: "",
  "status line": "HTTP/1.1 201 Created\r\n",
  "half the reply head": HEAD.slice(0, 40),
  "reply head": HEAD,
  "half the reply body": HEAD + BODY.slice(0, BODY.length / 2),
};

interface Script {
  readonly options: ChaosOptions;
  readonly act: Action;
}

/** A server that comes so far with every exchange, and then does this. */
export function mischiefAt(phase: ChaosPhase, mischief: Mischief): Script {
  const good = raw(HEAD + BODY);
  const said = SAID[phase];
  if (said !== undefined) return { options: {}, act: (socket, { tcp }) => after(said, mischief, { socket, tcp }) };
  if (phase === "connection") {
    const onConnection = (socket: Socket): boolean => {
      after("", mischief, { socket, tcp: socket });
      return false;
    };
    return { options: { onConnection }, act: good };
  }
  if (phase === "handshake") {
    const onConnection = (socket: Socket): boolean => {
      socket.once("data", () => after("", mischief, { socket, tcp: socket }));
      return false;
    };
    return { options: { onConnection }, act: good };
  }
  const share = phase === "request head" ? 0 : 0.5;
  const onPiece = (socket: Socket, { hasHead, body, tcp }: Piece): boolean => {
    if (!hasHead || body < share) return true;
    after("", mischief, { socket, tcp });
    return false;
  };
  return { options: { onPiece }, act: good };
}

function after(said: string, mischief: Mischief, { socket, tcp }: { socket: Socket; tcp: Socket }): void {
  if (mischief === "close") socket.end(said);
  else if (mischief === "stall") socket.write(said);
  else if (mischief === "garbage") socket.write(`${said}\u0000\u0001 what is this\r\n\r\n`);
  else socket.write(said, () => setImmediate(() => tcp.resetAndDestroy()));
}
