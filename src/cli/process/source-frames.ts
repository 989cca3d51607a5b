import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Frames of a stack trace (`at send (file:///.../upload-CkT8.js:27:9)`) with the places of our own source in place of the
 * bundle's (`at send (src/upload/upload.ts:12:3)`). A frame stays as it is where the map beside its file knows no better.
 */
export function sourceFrames(frames: readonly string[]): readonly string[] {
  const maps = new Map<string, SourceMap | undefined>();
  return frames.map((frame) => {
    const [, url = "", line = "", column = ""] = BUNDLED.exec(frame) ?? [];
    if (url === "") return frame;
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry) || !entry.originalSource) return frame;
    const file = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return frame.replace(`${url}:${line}:${column}`, `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`);
  });
}

const BUNDLED = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

/** Undefined where there is none, or none that can be read: a stack trace is no place for a second error. */
function mapOf(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
