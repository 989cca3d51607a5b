import type { Socket } from "node:net";
import { type Action, type ChaosOptions, type Piece, raw } from "./chaos-server.ts";

/** The phases of an exchange in chronological order. */
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

/** The faults that can occur after a phase. */
export const FAULTS = ["close", "reset", "stall", "garbage"] as const;
type Fault = (typeof FAULTS)[number];

const BODY = JSON.stringify({ account_number: "A-12AB34CD" });
const HEAD = `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`;

/** The part of a valid reply that is sent before the fault. */
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

/** Returns the server options and the action that make every exchange fail after this phase. */
export function faultAt(phase: ChaosPhase, fault: Fault): Script {
  const good = raw(HEAD + BODY);
  const said = SAID[phase];
  if (said !== undefined) return { options: {}, act: (socket, { tcp }) => after(said, fault, { socket, tcp }) };
  if (phase === "connection") {
    const onConnection = (socket: Socket): boolean => {
      after("", fault, { socket, tcp: socket });
      return false;
    };
    return { options: { onConnection }, act: good };
  }
  if (phase === "handshake") {
    const onConnection = (socket: Socket): boolean => {
      socket.once("data", () => after("", fault, { socket, tcp: socket }));
      return false;
    };
    return { options: { onConnection }, act: good };
  }
  const share = phase === "request head" ? 0 : 0.5;
  const onPiece = (socket: Socket, { hasHead, body, tcp }: Piece): boolean => {
    if (!hasHead || body < share) return true;
    after("", fault, { socket, tcp });
    return false;
  };
  return { options: { onPiece }, act: good };
}

function after(said: string, fault: Fault, { socket, tcp }: { socket: Socket; tcp: Socket }): void {
  if (fault === "close") socket.end(said);
  else if (fault === "stall") socket.write(said);
  else if (fault === "garbage") socket.write(`${said}\u0000\u0001 what is this\r\n\r\n`);
  else socket.write(said, () => setImmediate(() => tcp.resetAndDestroy()));
}
