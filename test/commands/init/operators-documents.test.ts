import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFile } from "../../e2e/cli.ts";
import { describeSystems, SYSTEMS } from "./operator-systems.ts";

const page = readFileSync(projectFile("docs/init.md"), "utf8");

test.each(SYSTEMS)("docs/init.md states how many leaves of $folder are mapped", ({ folder, right, leaves }) => {
  expect(page).toMatch(new RegExp(`^\\| \`${folder}\`.*\\| ${right} of ${leaves} \\|$`, "m"));
});

describeSystems("gb");
