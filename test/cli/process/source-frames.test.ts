import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { sourceFrames } from "../../../src/cli/process/source-frames.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Line 1 is a package's; in line 2, columns 5 to 8 are line 12, column 3 of our file, and what follows is a package's. */
const MAP = { version: 3, sources: ["../../src/upload/upload.ts", ""], names: [], mappings: "A;IAWE,I;" };

function bundled(map: string): string {
  const file = path.join(temporaryFolder(), "send a-b.js");
  writeFileSync(file, "");
  writeFileSync(`${file}.map`, map);
  return pathToFileURL(file).href;
}

describe("frames of a stack trace", () => {
  it("name the places of the source", () => {
    const url = bundled(JSON.stringify(MAP));
    expect(sourceFrames([`at send (${url}:2:6)`, `at async ${url}:2:5`])).toEqual([
      "at send (src/upload/upload.ts:12:3)",
      "at async src/upload/upload.ts:12:3",
    ]);
  });

  it.each([
    ["of a package", ":1:1"],
    ["of a package that follows in the same line", ":2:9"],
  ])("stay as they are where they are %s", (_, place) => {
    const frame = `at parse (${bundled(JSON.stringify(MAP))}${place})`;
    expect(sourceFrames([frame])).toEqual([frame]);
  });

  it("stay as they are without a map that can be read, and where they are no places", () => {
    const frames = [
      `at send (${bundled("{")}:2:6)`,
      "at send (file:///gone.js:1:1)",
      "at node:fs:12:1",
      "at <anonymous>",
    ];
    expect(sourceFrames(frames)).toEqual(frames);
  });
});
