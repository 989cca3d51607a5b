import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { projectFile, runCli } from "./cli.ts";

const SHARED = ["--quiet", "--verbose", "--no-color", "--log-format"];
const REPORT = ["--format", "--out", "--show-values"];
const INPUT = [
  "--config",
  "--contract",
  "--operation",
  "--mapping",
  "--source",
  "--supplier",
  "--limit",
  "--only",
  "--encoding",
  "--delimiter",
];
const PLAN = ["--max-errors", "--allow-empty", "--dry-run", "--revise"];
const SEND = ["--target", "--base-url", "--ca", "--concurrency", "--rps", "--ledger", "--yes"];
const FAULTS = [
  "--latency",
  "--throttle",
  "--retry-after",
  "--error-before",
  "--error-after",
  "--reset-before",
  "--pause-at",
];

describe("help", () => {
  test.each(["--help", "help"])("%s lists commands and exit codes", async (word) => {
    const { code, stdout, stderr } = await runCli([word]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    for (const exitCode of ["0", "1", "2", "3", "4", "5", "6", "7", "70", "130, 143"]) {
      expect(stdout).toMatch(new RegExp(`^  ${exitCode} +\\S`, "m"));
    }
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test.each<[string, readonly string[]]>([
    ["validate", [...INPUT, ...REPORT, "--max-errors", "--allow-empty"]],
    ["push", [...INPUT, ...REPORT, ...PLAN, ...SEND]],
    ["resume", [...REPORT, "--ledger"]],
    ["report", ["--format", "--out", "--ledger"]],
    ["status", ["--format", "--ledger"]],
    ["open", ["--format", "--by", "--since", "--ledger"]],
    ["explain", ["--format", "--ledger", "--run", "--show-values"]],
    ["preview", [...INPUT, "--format", "--show-values"]],
    ["products", ["--brand", "--green", "--available-at", "--all", "--page", "--format", "--base-url", "--auth"]],
    ["rates", ["--from", "--to", "--fuel", "--kind", "--chronological", "--plot", "--all", "--format", "--base-url"]],
    ["account", ["--format", "--base-url", "--auth"]],
    ["contract check", ["--format"]],
    ["contract show", ["--operation", "--format"]],
    ["sandbox", ["--port", "--contract", "--data", "--ready-file", ...FAULTS]],
    ["demo", []],
  ])("of %s lists the command's options", async (command, options) => {
    const { code, stdout } = await runCli([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: migrate ${command} `);
    const listed = new Set([...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option));
    expect([...options, ...SHARED].filter((option) => !listed.has(option))).toEqual([]);
  });
});

test("--version prints the version of the package", async () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(projectFile("package.json"), "utf8"));
  expect(await runCli(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("without a command, the help is printed on stderr with exit code 2", async () => {
  const { code, stdout, stderr } = await runCli([]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Usage: migrate");
});

test("a command prints no error if the reader of stdout closes the pipe early", async () => {
  const headOnly = ["sh", "-c", '{ "$0" "$@"; echo "exit code $?" >&2; } | head -n 1'];
  const flags = ["--operation", "import-account", "--format", "markdown"];
  const { stdout, stderr } = await runCli(["contract", "show", CONTRACT, ...flags], { under: headOnly });
  expect([stdout, stderr]).toEqual(["## import-account\n", "exit code 0\n"]);
});

const COMMANDS = [
  "validate",
  "push",
  "resume",
  "report",
  "status",
  "open",
  "explain",
  "preview",
  "products",
  "rates",
  "account",
  "contract",
  "sandbox",
  "demo",
];
const CONTRACT = projectFile("fixtures/contract/contract.yaml");
