import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { BINARY, copyDemo, projectFile } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

const PAGE = readFileSync(projectFile("docs/ci.md"), "utf8");

describe("the commands of docs/ci.md, unchanged:", () => {
  test("on GitHub, the contract is valid, and the sample fails with annotations on its lines", () => {
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

  test("the GitHub action installs the archive and validates the sample that a workflow names", () => {
    const action: Action = parseYaml(block(".github/actions"));
    const [install, validate] = action.runs.steps.filter(({ run: command }) => command !== undefined);
    const { steps }: { readonly steps: readonly ActionUse[] } = parseYaml(block(".github/workflows/both")).jobs
      .validate;
    const use = steps.find(({ uses }) => uses === "./.github/actions/validate-extract");
    const folder = repository();
    expect(run(install?.run ?? "", folder, filled(install, action, use))).toMatchObject({
      status: 0,
      stdout: "install --global --offline --no-audit --no-fund ./vendor/energy-migrate-1.0.0.tgz\n",
    });
    const { status, stdout } = run(validate?.run ?? "", folder, filled(validate, action, use));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^::error file=migration\/accounts\.csv,line=\d+,/m);
    const upload = action.runs.steps.find(({ uses }) => uses?.startsWith("actions/upload-artifact") === true);
    const uploaded = withInputs(upload?.with?.path ?? "", action, use)
      .trim()
      .split("\n");
    expect(uploaded).not.toContain("");
    for (const file of uploaded) expect(existsSync(path.join(folder, file))).toBe(true);
  });

  test("on GitLab, the sample fails, and junit.xml has one test case per record", () => {
    const { script }: { readonly script: readonly string[] } = parseYaml(block(".gitlab-ci.yml"))[
      "validate-sample-extract"
    ];
    const folder = repository();
    expect(script.map((line) => run(line, folder).status)).toEqual([0, 1]);
    const report = readFileSync(path.join(folder, "junit.xml"), "utf8");
    expect(report.match(/<testcase /g)).toHaveLength(223);
    expect(report.match(/<failure /g)).toHaveLength(19);
  });

  test("on other CI systems, the sample fails with exit code 1, and the files are complete", () => {
    const folder = repository();
    const commands = [...PAGE.slice(PAGE.indexOf("## Other CI systems")).matchAll(/```sh\n(.*?)```/gs)].flatMap(
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

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly ActionStep[] };
}

interface ActionStep {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: { readonly path?: string };
}

interface ActionUse {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

/** Returns the text with the inputs of an action substituted, as GitHub does. */
function withInputs(text: string, { inputs }: Action, use: ActionUse | undefined): string {
  return text.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: string) => {
    const value = use?.with?.[name] ?? inputs[name]?.default;
    if (value === undefined) throw new Error(`the action has no input ${name}, or it has no value`);
    return value;
  });
}

function filled(step: ActionStep | undefined, action: Action, use: ActionUse | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([name, text]) => [name, withInputs(text, action, use)]),
  );
}

function lineOf(folder: string, file: string, line: number): string {
  return readFileSync(path.join(folder, file), "utf8").split("\n")[line - 1] ?? "";
}

/**
 * Creates a repository as described on the page, with the demo's extract as its sample, and without network settings or
 * secrets.
 */
function repository(): string {
  const folder = temporaryFolder();
  copyDemo(path.join(folder, "migration"));
  cpSync(projectFile("fixtures/contract/contract.yaml"), path.join(folder, "migration/contract.yaml"));
  writeFileSync(path.join(folder, "migration/migrate.yaml"), block("migration/migrate.yaml"));
  mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
  for (const name of ["migrate", "energy-migrate"]) {
    writeProgram(path.join(folder, "node_modules/.bin", name), `exec "${process.execPath}" "${BINARY}" "$@"`);
  }
  // The installation of the packed archive is tested in `.ci/package.mjs`; this test only checks how it is called.
  writeProgram(path.join(folder, "node_modules/.bin/npm"), 'echo "$@"');
  return folder;
}

function writeProgram(file: string, command: string): void {
  writeFileSync(file, `#!/bin/sh\n${command}\n`);
  chmodSync(file, 0o755);
}

/** Returns the YAML block whose first comment names this file. */
function block(file: string): string {
  const found = [...PAGE.matchAll(/```yaml\n(.*?)```/gs)].find(([, text = ""]) => text.startsWith(`# ${file}`));
  if (found?.[1] === undefined) throw new Error(`docs/ci.md has no block for ${file}`);
  return found[1];
}

function run(
  command: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly stdout: string } {
  const PATH = `${path.join(folder, "node_modules/.bin")}:${process.env["PATH"]}`;
  const { status, stdout } = spawnSync("sh", ["-e", "-c", command], {
    cwd: folder,
    encoding: "utf8",
    env: { ...variables, PATH, CI: "true" },
    timeout: scaledTimeout(240_000),
  });
  return { status, stdout };
}
