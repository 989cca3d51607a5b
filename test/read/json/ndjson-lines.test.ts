import fc from "fast-check";
import { expect, test } from "vitest";
import { findLines, lineSplitter } from "../../../src/read/json/ndjson-lines.ts";

const line = fc.constantFrom(
  "",
  " ",
  "\r",
  "{}",
  " {} ",
  "[1]\r",
  "\u001e{}",
  "\u001e",
  "\u001e {}\t",
  "Zoë",
  "longer than it may be",
);

test("finds in complete lines the same records that the splitter finds in chunks", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), fc.nat(9), (lines, isEnded, limit) => {
      const bytes = Buffer.from(lines.join("\n") + (isEnded ? "\n" : ""));
      const splitter = lineSplitter(limit, { byte: 0, line: 7 });
      const expected = [...splitter.push(bytes), splitter.end()].filter((record) => record !== undefined);
      const { starts, ends, lines: numbers } = findLines(bytes, 7, limit);
      const found = starts.map((start, index) => {
        const [end = 0, number = 0] = [ends[index], numbers[index]];
        return { text: end < start ? undefined : bytes.toString("utf8", start, end), line: number };
      });
      expect(found).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});
