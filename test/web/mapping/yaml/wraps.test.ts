import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "../../../../src/contract/document/yaml-document.ts";
import type { AttrPath } from "../../../../src/json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../../../src/json/json-value.ts";
import { Failure } from "../../../../src/model/failure.ts";
import { editYaml, unwrapItem, wrapInItem } from "../../../../src/web/mapping/yaml/edit-yaml.ts";
import { commentsIn } from "../../../../src/web/mapping/yaml/places.ts";
import { campaignSize } from "../../../campaign.ts";
import { FIXTURES, pathsIn, yaml } from "./random-yaml.ts";

const FILE = "mapping.yaml";
const WHEN = { column: "FUEL", in: ["G", ""] };
const valueOf = (text: string): JsonValue => parseDocument({ file: FILE, text }, "mapping_invalid").value;

const BLOCK = `payload:
  list:
    -   a: A   # one
        # two
        b: |
          text

          more
    # between
    - { a: B }  # three
`;

test("puts an object into an item with a condition, and keeps its lines", () => {
  expect(wrapInItem(FILE, BLOCK, ["payload", "list", 0], { when: WHEN })).toBe(`payload:
  list:
    -   when: { column: FUEL, in: [G, ""] }
        item:
          a: A   # one
          # two
          b: |
            text

            more
    # between
    - { a: B }  # three
`);
  expect(wrapInItem(FILE, BLOCK, ["payload", "list", 1], { each: "meters" })).toBe(
    BLOCK.replace("{ a: B }", "{ each: meters, item: { a: B } }"),
  );
});

test("keeps the comments of an item that is unwrapped", () => {
  const text = "list:\n  - when: { column: A, in: [B] } # only B\n    item: # the item\n        a: C\n        d: E\n";
  const left = editYaml(FILE, text, { path: ["list", 0, "when"] });
  const made = unwrapItem(FILE, left, ["list", 0]);
  expect(valueOf(made)).toEqual({ list: [{ a: "C", d: "E" }] });
  expect(commentsIn(made)).toEqual(["when: only B", "item: the item"]);
});

test.each(["list:\n  - &x { a: A }\n  - *x\n", "list:\n  - { a: A }\n  - 7\n", "list:\n  - !t { a: A }\n"])(
  "refuses an item that it cannot wrap: %j",
  (text) => {
    const at = text.includes("!t") ? 0 : text.includes("7") ? 1 : 0;
    expect(() => wrapInItem(FILE, text, ["list", at], { when: WHEN })).toThrow(Failure);
  },
);

/** Returns the paths of list items that are objects. */
function itemsIn(value: JsonValue): readonly AttrPath[] {
  return pathsIn(value).filter(
    (path) => isJsonArray(valueAt(value, path.slice(0, -1))) && isJsonObject(valueAt(value, path)),
  );
}

function unlessRefused(edit: () => string): string | undefined {
  try {
    return edit();
  } catch (error) {
    if (error instanceof Failure && error.code === "usage") return undefined;
    throw error;
  }
}

const RUNS = campaignSize({ part: 50, whole: 150 });

test("leaves the same bytes after an item is wrapped and unwrapped again", () => {
  let wrapped = 0;
  const texts = fc.oneof(yaml, fc.constantFrom(...FIXTURES));
  fc.assert(
    fc.property(texts, fc.nat(), fc.constantFrom({ when: WHEN }, { each: "a", when: WHEN }), (text, at, head) => {
      const items = itemsIn(valueOf(text));
      const path = items[at % Math.max(1, items.length)];
      if (path === undefined) return;
      const made = unlessRefused(() => wrapInItem(FILE, text, path, head));
      if (made === undefined) return;
      wrapped += 1;
      expect(valueAt(valueOf(made), path)).toEqual({ ...head, item: valueAt(valueOf(text), path) });
      const left = Object.keys(head).reduce((now, name) => editYaml(FILE, now, { path: [...path, name] }), made);
      expect(unwrapItem(FILE, left, path)).toBe(text);
    }),
    { numRuns: RUNS },
  );
  expect(wrapped).toBeGreaterThan(RUNS / 8);
});

test.each(["a: A\nb: B", "a: A\r\nb: B", "x: { a: A,\n  b: B }\n", "- a: A"])(
  "an entry that is added after another entry and removed again leaves the same bytes: %j",
  (text) => {
    const path = text.startsWith("x") ? ["x"] : text.startsWith("-") ? [0] : [];
    for (const after of ["a", "b"]) {
      const made = editYaml(FILE, text, { path: [...path, "added"], value: "N", after });
      expect(editYaml(FILE, made, { path: [...path, "added"] })).toBe(text);
    }
  },
);

test("an entry that is added and removed again leaves the same bytes", () => {
  fc.assert(
    fc.property(fc.oneof(yaml, fc.constantFrom(...FIXTURES)), fc.nat(), fc.boolean(), (text, at, isFirst) => {
      const value = valueOf(text);
      const objects = pathsIn(value).filter((path) => Object.keys(objectAt(value, path)).length > 0);
      const path = objects[at % Math.max(1, objects.length)];
      if (path === undefined) return;
      const [first = ""] = Object.keys(objectAt(value, path));
      const entry = { path: [...path, "added"], value: WHEN, ...(isFirst && { after: first }) };
      const made = unlessRefused(() => editYaml(FILE, text, entry));
      expect(made === undefined ? text : editYaml(FILE, made, { path: entry.path })).toBe(text);
    }),
    { numRuns: RUNS },
  );
});

function objectAt(value: JsonValue, path: AttrPath): object {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : {};
}
