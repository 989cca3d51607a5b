import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { publishedContract } from "../../conformance/corpora.ts";
import { projectFile } from "../../e2e/cli.ts";
import { compareLeaves, leavesOf, runInit } from "./init-scene.ts";

/** Invented extracts in the manner of old systems, and the share of leaves that is guessed as a person would map them. */
const SYSTEMS = [
  { folder: "mainframe-gb", operator: "gb", supplier: "EDF", least: 0.7 },
  { folder: "crm-gb", operator: "gb", supplier: "EDF", least: 0.7 },
  { folder: "spreadsheet-gb", operator: "gb", supplier: "EDF", least: 0.7 },
  { folder: "retailer-au", operator: "au", supplier: "ORIGIN", least: 0.7 },
] as const;

describe.skipIf(!existsSync(publishedContract("gb-data-import.openapi.yml")))(
  "extracts for the operators' documents",
  () => {
    test.each(SYSTEMS)("of $folder: most leaves are guessed", async ({ folder, operator, supplier, least }) => {
      const directory = projectFile("fixtures/init", folder);
      const sources = readdirSync(directory).filter((name) => !name.endsWith(".yaml"));
      const { mapping } = await runInit({
        sources: sources.map((name) => path.join(directory, name)),
        contract: [publishedContract(`${operator}-data-import.openapi.yml`), `overlay:${operator}`],
        operation: "V1 Create Or Update Account Import Process",
        supplier,
      });
      const wanted = leavesOf("mapping.yaml", readFileSync(path.join(directory, "mapping.yaml"), "utf8"));
      const guessed = leavesOf("guessed.yaml", mapping);
      const { right, wrong, more } = compareLeaves(wanted, guessed);
      if (process.env["SHOW"])
        console.log(
          folder,
          right.length,
          "/",
          wanted.size,
          wrong.map((a) => [a, guessed.get(a), wanted.get(a)]),
          "more",
          more.map((a) => [a, guessed.get(a)]),
        );
      expect(right.length / wanted.size).toBeGreaterThanOrEqual(least);
    });
  },
);
