import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreLineEnds } from "../../../src/web/client/pages/fix/line-ends.ts";

/** Returns the text as a text area returns it: with LF line ends. */
function inTextArea(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

const anyText = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "")).map((parts) => parts.join(""));

test("text that was opened in a text area and not edited keeps its line ends", () => {
  fc.assert(fc.property(anyText, (text) => restoreLineEnds(inTextArea(text), text) === text));
});

test("added lines get the line ends of the saved value, if these are all equal", () => {
  expect(restoreLineEnds("a\nb\nc", "a\r\nb")).toBe("a\r\nb\r\nc");
  expect(restoreLineEnds("a\nb\nc", "a\rb")).toBe("a\rb\rc");
  expect(restoreLineEnds("a\nb", "a")).toBe("a\nb");
  expect(restoreLineEnds("a\nb\nd", "a\r\nb\nc")).toBe("a\nb\nd");
});
