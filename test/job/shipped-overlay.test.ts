import { describe, expect, it } from "vitest";
import { contractNames, readShippedOverlay } from "../../src/job/contract-files.ts";
import { Failure } from "../../src/model/failure.ts";

describe("an overlay of the package", () => {
  it("is applied after the shared overlay, and each keeps its own name", async () => {
    const texts = await readShippedOverlay("overlay:gb");
    expect(texts.map(({ file }) => file)).toEqual(["overlay:shared", "overlay:gb"]);
    for (const { text } of texts) expect(text).toMatch(/^overlay: 1\.0\.0$/m);
    expect(contractNames("overlay:gb")).toEqual(["overlay:shared", "overlay:gb"]);
  });

  it("is not looked up as a file of the user", () => {
    expect(contractNames("gb.yaml")).toEqual(["gb.yaml"]);
  });

  it.each([
    ["overlay:gbr", 'did you mean "overlay:gb"?'],
    ["overlay:france", "available: au, gb"],
  ])("is named in the hint if %s does not exist", async (file, hint) => {
    const failure = await readShippedOverlay(file).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: "usage", hint });
  });
});
