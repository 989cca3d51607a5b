import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectFile, runCli } from "../../e2e/cli.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const page = readFileSync(projectFile("docs/init.md"), "utf8");

/** Returns the fenced block of the page that begins with these words. */
function block(beginning: string): string {
  const found = [...page.matchAll(/```\w*\n([\s\S]*?)\n(?:\n\.\.\.\n)?```/g)].map(([, text = ""]) => text);
  return found.find((text) => text.startsWith(beginning)) ?? "";
}

test("docs/init.md shows the actual output and files of its command", async () => {
  const folder = temporaryFolder();
  for (const name of ["demo", "contract"])
    cpSync(projectFile("fixtures", name), path.join(folder, name), { recursive: true });
  const [, words = ""] = /^migrate (init accounts[\s\S]*?)\n```/m.exec(page) ?? [];
  const cwd = path.join(folder, "demo");
  const { code, stdout } = await runCli(words.replaceAll("\\\n", " ").split(/\s+/), { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(`${block("accounts.csv: 220 rows")}\n`);
  expect(stdout).toContain(`${block("Likely joins")}\n`);
  expect(readFileSync(path.join(cwd, "first-try/mapping.yaml"), "utf8")).toContain(`${block("payload:")}\n`);
});
