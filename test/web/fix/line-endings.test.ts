import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreLineEndings } from "../../../src/web/client/pages/fix/line-endings.ts";

/** Returns the text as a text area returns it: with LF line endings. */
function inTextArea(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

const anyText = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "")).map((parts) => parts.join(""));

test("text that was opened in a text area and not edited keeps its line endings", () => {
  fc.assert(fc.property(anyText, (text) => restoreLineEndings(inTextArea(text), text) === text));
});

test("added lines get the line endings of the saved value, if these are all equal", () => {
  expect(restoreLineEndings("a\nb\nc", "a\r\nb")).toBe("a\r\nb\r\nc");
  expect(restoreLineEndings("a\nb\nc", "a\rb")).toBe("a\rb\rc");
  expect(restoreLineEndings("a\nb", "a")).toBe("a\nb");
  expect(restoreLineEndings("a\nb\nd", "a\r\nb\nc")).toBe("a\nb\nd");
});
