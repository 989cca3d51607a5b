import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectFile, runCli } from "../e2e/cli.ts";
import { outcomeLines } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { publishedContract } from "./corpora.ts";

const DOCUMENT = publishedContract("gb-data-import.openapi.yml");

function folderWith(replacement = ""): string {
  const cwd = temporaryFolder();
  cpSync(projectFile("fixtures/operators/gb-dual-fuel"), cwd, { recursive: true });
  const points = path.join(cwd, "points.csv");
  if (replacement !== "") writeFileSync(points, readFileSync(points, "utf8").replace("G4A0012345,5", replacement));
  return cwd;
}

async function run(command: string, mapping: string, cwd: string, flags: readonly string[] = []) {
  const contract = ["--contract", DOCUMENT, "--contract", "overlay:gb", "--supplier", "EDF"];
  return runCli([command, ...contract, "--mapping", mapping, ...flags], { cwd, timeoutMs: 50_000 });
}

async function payloadsOf(mapping: string, cwd: string): Promise<readonly unknown[]> {
  const flags = ["--format", "json", "--show-values", "--limit", "3"];
  const { stdout } = await run("preview", mapping, cwd, flags);
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const { payload }: { readonly payload: unknown } = JSON.parse(line);
      return payload;
    });
}

describe.skipIf(!existsSync(DOCUMENT))(`electricity and gas in one file, with the gb document (${DOCUMENT})`, () => {
  test.each(["mapping.yaml", "by-fuel.yaml"])("with %s, each meter point is valid for its fuel", async (mapping) => {
    const { code, stdout } = await run("validate", mapping, folderWith(), ["--format", "ndjson"]);
    expect(outcomeLines(stdout).map(({ key, errors }) => ({ key, errors }))).toEqual(
      ["GB-0001", "GB-0002", "GB-0003"].map((key) => ({ key, errors: undefined })),
    );
    expect(code).toBe(0);
  });

  test("both mappings produce the same payloads", async () => {
    const [inOne, byFuel] = await Promise.all(
      ["mapping.yaml", "by-fuel.yaml"].map((mapping) => payloadsOf(mapping, folderWith())),
    );
    expect(inOne).toHaveLength(3);
    expect(inOne).toEqual(byFuel);
  });

  test.each(["mapping.yaml", "by-fuel.yaml"])("with %s, a nested error is located at its cell", async (mapping) => {
    const { code, stdout } = await run("validate", mapping, folderWith("G4A0012345,five"), ["--format", "ndjson"]);
    expect(code).toBe(1);
    expect(outcomeLines(stdout)[0]?.errors).toMatchObject([
      {
        attr: "supply_addresses.0.meter_points.1.meters.0.gas_number_of_digits",
        code: "invalid",
        source: { file: "points.csv", line: 3, column: "DIGITS" },
      },
    ]);
  });
});
