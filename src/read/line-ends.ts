const LF = 10;
const CR = 13;

/** Physical line ends in `bytes`: CRLF, LF and CR each count once. */
export function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count += 1;
  }
  return count;
}
