import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { publishedContract } from "../../conformance/corpora.ts";
import { projectFile } from "../../e2e/cli.ts";
import { compareLeaves, leavesOf, runInit } from "./init-scene.ts";

/**
 * Invented extracts in the style of legacy systems. `leaves` is the number of leaves in the hand-written mapping.
 * `right` is the number of leaves that `init` maps in the same way.
 */
export const SYSTEMS = [
  { folder: "mainframe-gb", operator: "gb", supplier: "EDF", right: 32, leaves: 38 },
  { folder: "crm-gb", operator: "gb", supplier: "EDF", right: 33, leaves: 34 },
  { folder: "spreadsheet-gb", operator: "gb", supplier: "EDF", right: 22, leaves: 24 },
  { folder: "retailer-au", operator: "au", supplier: "ORIGIN", right: 22, leaves: 22 },
] as const;

/** Tests the mappings that `init` drafts for the systems of an operator. */
export function describeSystems(operator: "gb" | "au"): void {
  describe.skipIf(!existsSync(publishedContract(`${operator}-data-import.openapi.yml`)))(
    "extracts for the operators' documents",
    () => {
      test.each(SYSTEMS.filter((system) => system.operator === operator))(
        "$folder: $right of $leaves leaves are mapped as a person would map them",
        async (system) => {
          const directory = projectFile("fixtures/init", system.folder);
          const sources = readdirSync(directory).filter((name) => !name.endsWith(".yaml"));
          const { mapping } = await runInit({
            sources: sources.map((name) => path.join(directory, name)),
            contract: [publishedContract(`${system.operator}-data-import.openapi.yml`), `overlay:${system.operator}`],
            operation: "V1 Create Or Update Account Import Process",
            supplier: system.supplier,
          });
          const wanted = leavesOf("mapping.yaml", readFileSync(path.join(directory, "mapping.yaml"), "utf8"));
          const { right } = compareLeaves(wanted, leavesOf("guessed.yaml", mapping));
          expect({ right: right.length, leaves: wanted.size }).toEqual({ right: system.right, leaves: system.leaves });
        },
      );
    },
  );
}
