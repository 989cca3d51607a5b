import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Contract } from "../../../src/contract/contract.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { selectNodes } from "../../../src/contract/document/overlay.ts";
import { bodyOf, documentOf, property } from "../contract-of.ts";

const BODY = "$.paths['/things/'].post.requestBody.content['application/json'].schema";
const base = documentOf({
  a: { type: "string", maxLength: 9 },
  choice: { type: "string", enum: ["A"] },
  list: { type: "array", items: { type: "string" } },
});

function overlaid(...overlays: readonly (readonly object[])[]): Contract {
  const texts = overlays.map((actions, index) => ({
    file: `overlay-${index + 1}.yaml`,
    text: stringify({ overlay: "1.0.0", info: { title: "Ours", version: "1" }, actions }),
  }));
  return loadContract([{ file: "contract.yaml", text: base }, ...texts]);
}

function limitTo(maxLength: number): object {
  return { target: `${BODY}.properties.a`, update: { maxLength } };
}

describe("update", () => {
  it("merges objects, replaces plain values and adds new members", () => {
    const contract = overlaid([
      { target: "$.paths['/things/'].post", update: { "x-migrate-key": "a", "x-migrate-dedupe": "business-key" } },
      { target: BODY, update: { required: ["a"], properties: { a: { maxLength: 3 }, b: { type: "boolean" } } } },
    ]);
    expect(contract.findings).toEqual([]);
    expect(contract.operations[0]).toMatchObject({ id: "create-thing", key: ["a"], dedupesByKey: true });
    expect(property(bodyOf(contract), "a")).toMatchObject({ kind: "text", maxLength: 3 });
    expect([...bodyOf(contract).properties.keys()]).toEqual(["a", "choice", "list", "b"]);
    expect(bodyOf(contract).properties.get("a")?.required).toBe(true);
  });

  it("appends to targeted lists and to lists inside merged objects", () => {
    const contract = overlaid([
      { target: `${BODY}.properties.choice.enum`, update: "B" },
      { target: `${BODY}.properties.choice.enum`, update: ["C", "D"] },
      { target: `${BODY}.properties.choice`, update: { enum: ["E"] } },
    ]);
    expect(property(bodyOf(contract), "choice")).toMatchObject({ choices: ["A", "B", "C", "D", "E"] });
  });

  it("applies to every match", () => {
    const contract = overlaid([{ target: `${BODY}.properties[?@.type == 'string']`, update: { description: "Said" } }]);
    const described = [...bodyOf(contract).properties.values()].map(({ type }) => type.description);
    expect(described).toEqual(["Said", "Said", undefined]);
  });

  it("applies only to nodes that satisfy all three conditions joined by `&&`", () => {
    const target = `${BODY}.properties[?@.type == 'string' && !@.enum && !@.maxLength]`;
    const contract = overlaid([{ target, update: { description: "Said" } }]);
    expect([...bodyOf(contract).properties.values()].map(({ type }) => type.description)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("applies overlays and actions in order", () => {
    expect(property(bodyOf(overlaid([limitTo(1), limitTo(2)], [limitTo(3)])), "a")).toMatchObject({ maxLength: 3 });
  });
});

describe("remove", () => {
  it("removes members of objects and items of lists", () => {
    const contract = overlaid([
      { target: `${BODY}.properties.choice.enum`, update: ["B", "C", "B", "D"] },
      { target: `${BODY}.properties.choice.enum[?@ == 'B' || @ == 'C']`, remove: true },
      { target: `${BODY}.properties.a`, remove: true, update: { maxLength: 1 } },
    ]);
    expect(property(bodyOf(contract), "choice")).toMatchObject({ choices: ["A", "D"] });
    expect([...bodyOf(contract).properties.keys()]).toEqual(["choice", "list"]);
  });

  it("allows a later action to add a replacement", () => {
    const contract = overlaid([
      { target: `${BODY}.properties.a`, remove: true },
      { target: `${BODY}.properties`, update: { a: { type: "integer" } } },
    ]);
    expect(property(bodyOf(contract), "a")).toMatchObject({ kind: "integer" });
  });
});

describe("findings", () => {
  it("about an overlay's content point to the overlay", () => {
    const { findings } = overlaid([
      { target: "$.info", update: { title: "Other" } },
      { target: `${BODY}.properties`, update: { b: { type: "string", maxItems: 3 } } },
    ]);
    expect(findings).toMatchObject([
      {
        code: "not-enforced",
        place: { file: "overlay-1.yaml", line: 13 },
        pointer: "/paths/~1things~1/post/requestBody/content/application~1json/schema/properties/b/maxItems",
      },
    ]);
  });

  it("about the base document's content point to the base document", () => {
    const { findings } = overlaid([
      { target: "$.info", update: { version: "2" } },
      { target: `${BODY}.properties.list`, remove: true },
    ]);
    expect(findings).toEqual([]);
    const contract = loadContract([
      { file: "contract.yaml", text: documentOf({ a: { type: "string", maxItems: 3 } }) },
      { file: "overlay.yaml", text: "overlay: 1.0.0\nactions: [{ target: $.info, update: {} }]" },
    ]);
    expect(contract.findings).toMatchObject([{ place: { file: "contract.yaml", line: 17 } }]);
  });

  it("keep their lines if an action removed an earlier list item", () => {
    const { findings } = overlaid([
      { target: BODY, update: { required: ["p", "q"] } },
      { target: `${BODY}.required[0]`, remove: true },
    ]);
    expect(findings).toMatchObject([
      { message: '"q" is required, but it is not among the properties', place: { file: "overlay-1.yaml", line: 10 } },
    ]);
  });

  it.each([
    [{ target: "$.paths['/nothing/']", update: {} }, "warning overlay-no-match", "matches nothing"],
    [{ target: "$.paths[", update: {} }, "error bad-overlay", "not a JSONPath"],
    [{ target: "$.info.title", update: "x" }, "error bad-overlay", "select the object or list that contains it"],
    [{ target: "$.info", update: "x" }, "error bad-overlay", "must be an object"],
    [{ target: "$", remove: true }, "error bad-overlay", "cannot be removed"],
    [{ target: "$.info" }, "warning overlay-without-effect", "neither"],
    [{ update: {} }, "error bad-overlay", '"target"'],
    [{ target: "$.info", updates: {}, remove: false }, "warning unknown-keyword", 'did you mean "update"'],
  ])("about the action %j have the line of the action", (action, expected, words) => {
    const finding = overlaid([action]).findings.find(({ message }) => message.includes(words));
    expect(`${finding?.severity} ${finding?.code}`).toBe(expected);
    expect(finding?.place.file).toBe("overlay-1.yaml");
    expect(finding?.place.line).toBeGreaterThan(4);
  });

  it("do not prevent other actions from being applied", () => {
    const contract = overlaid([
      { target: "$.none", remove: true },
      { target: `${BODY}.properties.a`, update: { maxLength: 1 } },
    ]);
    expect(property(bodyOf(contract), "a")).toMatchObject({ maxLength: 1 });
  });
});

it("applies overlays to the document of the sandbox", () => {
  const { document } = overlaid([{ target: "$.info", update: { title: "Other" } }]);
  expect(document["info"]).toEqual({ title: "Other", version: "1" });
});

/** Returns the messages about an overlay with this target. */
function refusals(target: string, text = base): readonly string[] {
  const overlay = stringify({ overlay: "1.0.0", actions: [{ target, update: { description: "Said" } }] });
  const contract = loadContract([
    { file: "contract.yaml", text },
    { file: "overlay.yaml", text: overlay },
  ]);
  return contract.findings.filter(({ code }) => code === "bad-overlay").map(({ message }) => message);
}

describe("an expensive target", () => {
  const list = documentOf({ a: { enum: Array.from({ length: 3_000 }, (_, index) => index) } });
  const large = `$${"..[*,*,*,*,*,*]".repeat(5)}`;

  it("selects each node once, even if it matches several times", () => {
    expect(selectNodes({ a: { b: [1, 2] } }, "$..[*,*]..[*,*]")).toEqual([
      ["a", "b"],
      ["a", "b", 0],
      ["a", "b", 1],
    ]);
    expect(selectNodes({ a: { b: [1, 2] } }, large)).toEqual([]);
  });

  it.each([
    `$${"..[*,*,*,*,*,*,*,*]".repeat(20)}`,
    "$..[?count($..*) > 0]",
    "$..[?$..[?$..[?@.a == 1]]]",
    "$..enum[?$..enum[?$..enum[?1 == 2]]]",
    `$[?count(@${"..[*,*,*]".repeat(12)}) > 0]`,
    "$..[?$..['none']]",
  ])("is rejected if it visits too many nodes: %s", (target) => {
    expect(() => refusals(target, list)).toThrow("visits more than 1,000,000 nodes");
  });

  it("is rejected if it is too long or contains a pattern that needs more than linear time", () => {
    expect(refusals(`$.${"a".repeat(1000)}`)).toEqual([expect.stringContaining("longer than 1,000 characters")]);
    expect(refusals("$..[?match(@, '(a+)+b')]")).toEqual([expect.stringContaining("could take a very long time")]);
    expect(refusals("$..[?search(@, '(a|a)*b')]")).toEqual([expect.stringContaining("could take a very long time")]);
    expect(refusals("$..[?match(@.type, 'str.*')]")).toEqual([]);
  });
});

it("an update that does not fit many of its matches is reported for only a few of them, with a count of the rest", () => {
  const { findings } = overlaid(
    [{ target: `${BODY}.properties.choice..*`, update: { "x-note": 1 } }],
    [
      { target: "$..type", update: { x: Array.from({ length: 20 }, () => 1) } },
      { target: "$..*", update: { x: 1 } },
    ],
  );
  const unfit = findings.filter(({ message }) => message.includes("neither an object nor a list"));
  expect(unfit.length).toBeLessThan(25);
  expect(findings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^\d+ more matches of the target do not fit the update$/),
  );
});

it("overlays that add too many values fail with the line of the action", () => {
  const update = { x: { y: Array.from({ length: 2000 }, () => 1) } };
  const actions = Array.from({ length: 3 }, (_, at) => ({ target: "$..*", update: { [`n${at}`]: update } }));
  expect(() => overlaid(actions)).toThrow(/overlay-1.yaml:\d+: overlays add more than 100,000 values/);
});
