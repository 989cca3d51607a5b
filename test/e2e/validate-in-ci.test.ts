import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { BINARY, projectFile } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { patience } from "../patience.ts";

const PAGE = readFileSync(projectFile("docs/ci.md"), "utf8");

describe("the commands of docs/ci.md, as written there", () => {
  test("GitHub: the contract is understood, the sample fails, and the annotations lie on its lines", () => {
    const steps: readonly { readonly run?: string }[] = parseYaml(block(".github/workflows")).jobs.validate.steps;
    const [check = "", validate = ""] = steps
      .map((step) => step.run ?? "")
      .filter((line) => line.startsWith("migrate"));
    const folder = repository();
    expect(run(check, folder).status).toBe(0);
    const { status, stdout } = run(validate, folder);
    expect(status).toBe(1);
    const annotations = [...stdout.matchAll(/^::error file=([^,]+),line=(\d+),title=(.+?)::/gm)];
    expect(annotations.length).toBeGreaterThanOrEqual(10);
    const annotated = annotations.map(([, file = "", line, title]) => ({
      title,
      row: lineOf(folder, file, Number(line)),
    }));
    expect(annotated.filter(({ row }) => row === "")).toEqual([]);
    expect(annotated).toContainEqual({
      title: "invalid_choice at account_type",
      row: expect.stringMatching(/^A\d+,\d+,X,/),
    });
    for (const name of ["errors.csv", "summary.json"]) expect(existsSync(path.join(folder, "report", name))).toBe(true);
    expect(block(".github/workflows")).not.toContain("rejects.csv");
  });

  test("GitLab: the sample fails, and junit.xml has a test case a record", () => {
    const { script }: { readonly script: readonly string[] } = parseYaml(block(".gitlab-ci.yml"))[
      "validate-sample-extract"
    ];
    const folder = repository();
    expect(script.map((line) => run(line, folder).status)).toEqual([0, 1]);
    const report = readFileSync(path.join(folder, "junit.xml"), "utf8");
    expect(report.match(/<testcase /g)).toHaveLength(223);
    expect(report.match(/<failure /g)).toHaveLength(19);
  });

  test("anywhere else: exit 1, and what goes to a file is whole", () => {
    const folder = repository();
    const commands = [...PAGE.slice(PAGE.indexOf("## Anywhere else")).matchAll(/```sh\n(.*?)```/gs)].flatMap(
      ([, text = ""]) => text.trim().split("\n"),
    );
    expect(commands).toHaveLength(3);
    expect(commands.map((line) => run(line, folder).status)).toEqual([1, 1, 1]);
    expect(readFileSync(path.join(folder, "outcomes.ndjson"), "utf8").trim().split("\n")).toHaveLength(223);
    expect(readFileSync(path.join(folder, "errors.csv"), "utf8").trim().split("\n").length).toBeGreaterThan(20);
  });

  test("a sample without errors passes", () => {
    const folder = repository();
    const [command = ""] = PAGE.match(/migrate validate .*--format github/) ?? [];
    expect(run(`${command} --only 00010001,00010002`, folder)).toMatchObject({ status: 0, stdout: "" });
  });
});

function lineOf(folder: string, file: string, line: number): string {
  return readFileSync(path.join(folder, file), "utf8").split("\n")[line - 1] ?? "";
}

/** A repository as the page describes it, with the demo's extract as its sample; no network settings, no secrets. */
function repository(): string {
  const folder = temporaryFolder();
  cpSync(projectFile("fixtures/demo"), path.join(folder, "migration"), { recursive: true });
  cpSync(projectFile("fixtures/contract/contract.yaml"), path.join(folder, "migration/contract.yaml"));
  writeFileSync(path.join(folder, "migration/migrate.yaml"), block("migration/migrate.yaml"));
  mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
  const program = path.join(folder, "node_modules/.bin/migrate");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

/** The block of YAML that begins with a comment naming this file. */
function block(file: string): string {
  const found = [...PAGE.matchAll(/```yaml\n(.*?)```/gs)].find(([, text = ""]) => text.startsWith(`# ${file}`));
  if (found?.[1] === undefined) throw new Error(`docs/ci.md has no block for ${file}`);
  return found[1];
}

function run(command: string, folder: string): { readonly status: number | null; readonly stdout: string } {
  const PATH = `${path.join(folder, "node_modules/.bin")}:${process.env["PATH"]}`;
  const { status, stdout } = spawnSync("sh", ["-e", "-c", command], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH, CI: "true" },
    timeout: patience(240_000),
  });
  return { status, stdout };
}
