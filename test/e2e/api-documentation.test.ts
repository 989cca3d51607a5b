import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { projectFile, startTestSandbox } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

const run = promisify(execFile);
const page = readFileSync(projectFile("docs/api.md"), "utf8");

test("docs/api.md covers the nine sections of the specification, and links only to existing test files", () => {
  const rows = page.match(/^\| \d.*\|$/gm) ?? [];
  const sections = new Set(rows.map((row) => row.charAt(2)));
  expect([...sections].join("")).toBe("123456789");
  const links = [...page.matchAll(/\]\(\.\.\/(test\/[^)]+)\)/g)].map(([, link]) => link ?? "");
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter((link) => !existsSync(projectFile(link)))).toEqual([]);
});

test("docs/api.md shows the actual replies of the sandbox to curl", async () => {
  const folder = temporaryFolder();
  const sandbox = await startTestSandbox({ cwd: folder });
  onTestFinished(() => sandbox.stop());
  writeFileSync(path.join(folder, "ready.json"), JSON.stringify(sandbox.ready));
  const { port } = new URL(sandbox.ready.baseUrl);
  const here = (command: string): string =>
    command.replaceAll("8443", port).replaceAll("sk_sandbox_transcript", sandbox.ready.apiKey);
  const marker = "-- end of a command --";
  const script = transcript(page).map(({ command }) => `${here(command)}\necho "${marker}"\n`);
  const { stdout, stderr } = await run("bash", ["-c", script.join("")], {
    cwd: folder,
    timeout: scaledTimeout(240_000),
  });
  expect(stderr).toBe("");
  expect(
    stdout
      .split(`${marker}\n`)
      .slice(0, -1)
      .map((output) => output.replaceAll(port, "8443").trimEnd()),
  ).toEqual(transcript(page).map(({ output }) => output));
});

/** Returns the commands of the page's console blocks, each with its output. */
function transcript(text: string): readonly { readonly command: string; readonly output: string }[] {
  return [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...output] = part.trimEnd().split("\n");
        return { command, output: output.join("\n") };
      }),
  );
}
