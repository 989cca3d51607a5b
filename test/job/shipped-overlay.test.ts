import { describe, expect, it } from "vitest";
import { contractPaths, readShippedOverlay } from "../../src/job/contract-files.ts";
import { Failure } from "../../src/model/failure.ts";

describe("an overlay that the package ships", () => {
  it("a shipped overlay comes after what all overlays share, each known by its name", async () => {
    const texts = await readShippedOverlay("overlay:gb");
    expect(texts.map(({ file }) => file)).toEqual(["overlay:shared", "overlay:gb"]);
    for (const { text } of texts) expect(text).toMatch(/^overlay: 1\.0\.0$/m);
    expect(contractPaths("overlay:gb").map((file) => file.replace(/.*\//, ""))).toEqual(["shared.yaml", "gb.yaml"]);
  });

  it("a shipped overlay is not looked for as a file of the user", () => {
    expect(contractPaths("gb.yaml")).toEqual(["gb.yaml"]);
  });

  it.each([
    ["overlay:gbr", 'did you mean "overlay:gb"?'],
    ["overlay:france", "available: au, gb"],
  ])("is named when %s is not there", async (file, hint) => {
    const failure = await readShippedOverlay(file).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: "usage", hint });
  });
});
