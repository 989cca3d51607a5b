import fc from "fast-check";
import { expect, test } from "vitest";
import { shapeOf } from "../../src/text/shape.ts";
import { locateProblems } from "../../src/upload/locate-problems.ts";

/** Locates a problem at this attr, with this detail, in the payload. Returns the detail that is shown. */
function shownDetail(attr: string, detail: string, value: string): string | undefined {
  const problem = { attr, severity: "error", by: "platform", code: "invalid", detail } as const;
  const payload = { name: value, customers: [{ name: value }] };
  return locateProblems([problem], { payload, locate: () => undefined })[0]?.detail;
}

test.each(["name", "customers"])("a value that contains replacement patterns is masked at %s", (attr) => {
  const patterns = fc.constantFrom("$&", "$`", "$'", "$$", "$1", "Person", " ");
  const values = fc.string({ unit: patterns, minLength: 3, maxLength: 5 });
  fc.assert(
    fc.property(values, (value) => {
      expect(shownDetail(attr, `"${value}" is not a name`, value)).toBe(`"${shapeOf(value)}" is not a name`);
    }),
  );
});
