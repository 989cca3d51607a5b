import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { sourceFrames } from "../../../src/cli/process/process-exit.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/**
 * Line 1 belongs to a package. In line 2, columns 5 to 8 map to line 12, column 3 of our file; the rest belongs to a
 * package.
 */
const MAP = { version: 3, sources: ["../../src/upload/upload.ts", ""], names: [], mappings: "A;IAWE,I;" };

function bundled(map: string): string {
  const file = path.join(temporaryFolder(), "send a-b.js");
  writeFileSync(file, "");
  writeFileSync(`${file}.map`, map);
  return pathToFileURL(file).href;
}

describe("frames of a stack trace", () => {
  it("are mapped to the source files", () => {
    const url = bundled(JSON.stringify(MAP));
    expect(sourceFrames([`at send (${url}:2:6)`, `at async ${url}:2:5`])).toEqual([
      "at send (src/upload/upload.ts:12:3)",
      "at async src/upload/upload.ts:12:3",
    ]);
  });

  it.each([
    ["of a package", ":1:1"],
    ["of a package that shares a line with the program's own code", ":2:9"],
  ])("stay unchanged in code %s", (_, place) => {
    const frame = `at parse (${bundled(JSON.stringify(MAP))}${place})`;
    expect(sourceFrames([frame])).toEqual([frame]);
  });

  it("stay unchanged if they contain no position, or if the source map cannot be read", () => {
    const frames = [
      `at send (${bundled("{")}:2:6)`,
      "at send (file:///gone.js:1:1)",
      "at node:fs:12:1",
      "at <anonymous>",
    ];
    expect(sourceFrames(frames)).toEqual(frames);
  });
});
