import { gzipSync } from "node:zlib";
import { type Action, raw, rawThenEnd } from "../../chaos-server.ts";

export const endless: Action = (socket) => {
  socket.write("HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
  const timer = setInterval(() => socket.write(`1000\r\n${"x".repeat(0x1000)}\r\n`), 1);
  socket.on("close", () => clearInterval(timer));
};
export const longHead = raw(`HTTP/1.1 201 Created\r\n${`x-a: ${"y".repeat(50)}\r\n`.repeat(5_000)}`);
export const cut = (status: number, text: string): Action =>
  rawThenEnd(`HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n${text}`);
export const chunked = (status: number, text: string): Action =>
  rawThenEnd(
    `HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`,
  );
/** Replies with a `content-length` that is smaller than the body. */
export const shortened = (status: number, text: string, length: number): Action =>
  rawThenEnd(`HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`);
export const bytes =
  (status: number, body: readonly number[], more = ""): Action =>
  (socket) => {
    socket.write(
      `HTTP/1.1 ${status} Status\r\ncontent-type: application/json${more}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.end(Buffer.from(body));
  };
export const packed = (status: number, text: string): Action => {
  const whole = [...gzipSync(text)];
  return bytes(status, whole.slice(0, whole.length / 2), "\r\ncontent-encoding: gzip");
};
export const LATIN_1 = Buffer.from('{"account_number":"A-1","name":"Zoë"}', "latin1");
export const UTF_16 = Buffer.from('{"account_number":"A-1"}', "utf16le");
