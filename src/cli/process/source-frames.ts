import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Maps stack frames from the bundle (`at send (file:///.../upload-CkT8.js:27:9)`) to our source files (`at send
 * (src/upload/upload.ts:12:3)`). A frame without an entry in the source map of its file is returned unchanged.
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

/**
 * The source map of a file; undefined if it is missing or unreadable, because printing a stack trace must not cause a
 * second error.
 */
function mapOf(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
