import { expect, test } from "vitest";
import { cutText, textWidth, wrapText } from "../../src/terminal/text-width.ts";

test.each([
  ["plain", 5],
  ["。、「」", 8],
  ["ｶﾀｶﾅ", 4],
  ["カタカナ", 8],
  ["\u{1F469}\u200D\u{1F469}\u200D\u{1F467}", 2],
  ["\u{1F44B}\u{1F3FD}", 2],
  ["\u{1F1EC}\u{1F1E7}", 2],
  ["Zoe\u0301", 3],
  ["한글", 4],
  ["", 0],
])("%s is as wide as in a terminal (%i columns)", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ["。、「」", 5, "。、…"],
  ["。、「」", 4, "。…"],
  ["ab\u{1F469}\u200D\u{1F467}cd", 5, "ab\u{1F469}\u200D\u{1F467}…"],
  ["ab\u{1F469}\u200D\u{1F467}cd", 4, "ab…"],
  ["Zoe\u0301 and more", 4, "Zoe\u0301…"],
  ["fits", 4, "fits"],
])("%s is cut to %i columns between characters, never inside a character", (text, width, cut) => {
  expect(cutText(text, width)).toBe(cut);
  expect(textWidth(cut)).toBeLessThanOrEqual(width);
});

test("lines are broken at spaces so that no line exceeds the width in columns", () => {
  expect(wrapText("東京 大阪 ab", 7)).toEqual(["東京", "大阪 ab"]);
});
