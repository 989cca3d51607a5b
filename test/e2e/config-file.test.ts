import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliEnd, runCli } from "./cli.ts";
import { linesOf, workFolder } from "./validate-scene.ts";

const EXTRACT = "REF,NAME,NOTE,MOBILE\nA1,Ada,,\n";
const CONFIG = "contract: contract.yaml\nmapping: mapping.yaml\nout: report\n";

describe("migrate.yaml", () => {
  test("is searched for in parent folders, and its paths are relative to its own folder", async () => {
    const folder = workFolder({ "migrate.yaml": CONFIG, "deep/er/a.csv": EXTRACT });
    const { code, stdout } = await runCli(["validate", "a.csv", "--format", "ndjson"], {
      cwd: path.join(folder, "deep/er"),
    });
    expect(code).toBe(0);
    expect(linesOf(stdout)).toMatchObject([{ key: "A1", source: { file: "a.csv" } }]);
    expect(existsSync(path.join(folder, "report/summary.json"))).toBe(true);
  });

  test("is overridden by the environment and by flags", async () => {
    const folder = workFolder({ "migrate.yaml": CONFIG, "a.csv": EXTRACT });
    await runCli(["validate", "a.csv"], { cwd: folder, env: { MIGRATE_OUT: "by-environment" } });
    await runCli(["validate", "a.csv", "--out", "by-flag"], { cwd: folder, env: { MIGRATE_OUT: "by-environment-2" } });
    const made = ["report", "by-environment", "by-environment-2", "by-flag"];
    expect(made.filter((name) => existsSync(path.join(folder, name)))).toEqual(["by-environment", "by-flag"]);
  });

  test("is read from the path in --config, and no other file is read", async () => {
    const folder = workFolder({
      "migrate.yaml": "contract: none.yaml\n",
      "settings/ours.yaml": "contract: [../contract.yaml]\nmapping: ../mapping.yaml\n",
      "a.csv": EXTRACT,
    });
    const { code } = await runCli(["validate", "a.csv", "--config", "settings/ours.yaml"], { cwd: folder });
    expect(code).toBe(0);
  });
});

describe("an invalid setting in migrate.yaml:", () => {
  test.each([
    [
      "a misspelt setting",
      "contract: contract.yaml\n\nsuplier: ACME\n",
      'migrate.yaml:3:1: unknown setting "suplier"',
      "supplier",
    ],
    [
      "a misspelt required setting of a target",
      "targets:\n  a:\n    baseURL: https://example.com/v1/\n",
      'migrate.yaml:3:5: unknown setting "targets.a.baseURL"',
      "baseUrl",
    ],
    ["a value of the wrong type", "mapping: [a, b]\n", "migrate.yaml:1:1: mapping: expected a string", ""],
    ["a list instead of settings", "- a\n", "migrate.yaml:1:1: expected an object with named settings", ""],
    ["invalid YAML", "contract: [\n", "migrate.yaml:", ""],
    ["an undefined target", "target: live\n", 'unknown target "live"', ""],
  ])("%s is reported with exit code 2 and, if known, its line and a suggestion", async (_, text, message, meant) => {
    const folder = workFolder({ "migrate.yaml": text, "a.csv": EXTRACT });
    const { code, stdout, stderr } = await runCli(["validate", "a.csv"], { cwd: folder });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`migrate: ${message}`);
    expect(/did you mean "([^"]*)"\?/.exec(stderr)?.[1] ?? "").toBe(meant);
    expect(stderr).not.toMatch(STACK);
  });
});

describe("invalid input is reported with exit code 2, without output on stdout and without a stack trace:", () => {
  test.each<[string, readonly string[], string | RegExp]>([
    ["an unknown command", ["validat"], /unknown command 'validat'.*Did you mean validate\?/s],
    ["an unknown command before --help", ["validat", "--help"], /unknown command 'validat'.*Did you mean validate\?/s],
    [
      "an unknown subcommand before --help",
      ["contract", "chekc", "-h"],
      /unknown command 'chekc'.*Did you mean check\?/s,
    ],
    ["help for an unknown command", ["help", "validat"], /unknown command 'validat'.*Did you mean validate\?/s],
    ["help for an unknown subcommand", ["help", "contract", "chekc"], /unknown command 'chekc'.*Did you mean check\?/s],
    ["an unknown option", ["validate", "--limits", "3"], /unknown option '--limits'.*Did you mean --limit\?/s],
    ["no sources", ["validate", "--contract", "contract.yaml"], "no source was given"],
    ["no contract", ["validate", "a.csv"], "no contract was given"],
    ["a CSV file without a mapping", ["validate", "a.csv", "--contract", "contract.yaml"], "--mapping"],
    ["a missing file", [...job(), "none.csv"], "none.csv: no such file"],
    ["a pattern without matches", [...job(), "none*.csv"], "none*.csv: matches no file"],
    ["a folder", [...job(), "."], "is a folder"],
    [
      "a contract that is not an OpenAPI document",
      job({ contract: "mapping.yaml" }),
      "not an OpenAPI 3.0 or 3.1 document",
    ],
    ["a mapping to unknown fields", job({ mapping: "misspelt.yaml" }), /misspelt\.yaml:4:\d+: .*nmae.*name/s],
    [
      "several errors in a mapping, each with its line",
      job({ mapping: "contract.yaml" }),
      /^ {2}contract\.yaml:2:1: info/m,
    ],
    [
      "an unknown operation",
      [...job(), "--operation", "nope"],
      /no operation "nope"\n {2}its operations are:\n {4}POST \/data-import/i,
    ],
    [
      "an unknown format",
      [...job(), "--format", "xml"],
      "Allowed choices are text, json, ndjson, csv, junit, github, xlsx.",
    ],
    ["an unknown encoding", [...job(), "--encoding", "klingon"], 'unknown encoding "klingon"'],
    ["an invalid delimiter", [...job(), "--delimiter", "ab"], '"ab" cannot be a delimiter'],
    ["a value that is not a number", [...job(), "--limit", "many"], "--limit"],
    ["a source without a name", [...job(), "--source", "a.csv"], "expected <name>=<path>"],
    ["a source that is not in the mapping", [...job(), "--source", "x=a.csv"], 'no source "x"'],
    [
      "a source with files from --source and others",
      [...job(), "--source", "records=none.csv"],
      "the files of source records are named both with --source and without it",
    ],
    ["standard input that is named twice", [...job(), "-", "-"], "the same file is named twice: - and -"],
    [
      "a source name without a mapping",
      ["validate", "a.csv", "--contract", "contract.yaml", "--source", "records=none.csv"],
      "sources have names only in a mapping",
    ],
    ["a push without a platform", ["push", ...job().slice(1)], "the platform to push to is not set"],
    ["a target that is not configured", ["push", ...job().slice(1), "--target", "live"], 'unknown target "live"'],
    ["a base URL without TLS", ["push", ...job().slice(1), "--base-url", "http://example.com/v1/"], "https://"],
    ["no credentials", ["push", ...job().slice(1), "--base-url", "https://localhost:1/v1/"], "MIGRATE_API_KEY"],
    ["resume without a ledger", ["resume"], "there is no ledger at .migrate/ledger.db"],
    ["explain without a ledger", ["explain", "A1"], "there is no ledger at .migrate/ledger.db"],
    ["explain without a key", ["explain"], "missing required argument 'key'"],
  ])("%s", async (_, args, message) => {
    const { code, stdout, stderr } = await refused(args);
    expect(stderr).toMatch(typeof message === "string" ? new RegExp(escaped(message), "i") : message);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^migrate: /m);
    expect(stderr).not.toMatch(/^error:/m);
    expect(stderr).not.toMatch(STACK);
  });
});

describe("with JSON logs, a command-line error is one JSON line on stderr, with exit code 2:", () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ["an unknown option", ["push", "--log-format", "json", "--secret=s3cr3t"], {}, "unknown option '--secret'"],
    [
      "an invalid value",
      ["validate", "--limit", "many", "--log-format=json"],
      {},
      "option '--limit <n>' argument 'many'",
    ],
    ["an unknown command", ["validat"], { MIGRATE_LOG_FORMAT: "json" }, "unknown command 'validat'"],
    ["no command", [], { MIGRATE_LOG_FORMAT: "json" }, "no command was given"],
  ])("%s", async (_, args, env, text) => {
    const { code, stdout, stderr } = await runCli(args, { env });
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      event: "failure",
      code: "usage",
      message: expect.stringContaining(text),
      hint: expect.stringContaining("--help"),
    });
    expect(stderr).not.toContain("s3cr3t");
  });
});

const STACK = /^\s+at (?!\S+:\d+$)|node:internal|\.ts:\d+/m;

function job(files: { readonly contract?: string; readonly mapping?: string } = {}): readonly string[] {
  const { contract = "contract.yaml", mapping = "mapping.yaml" } = files;
  return ["validate", "a.csv", "--contract", contract, "--mapping", mapping];
}

function refused(args: readonly string[]): Promise<CliEnd> {
  const folder = workFolder({
    "a.csv": EXTRACT,
    "misspelt.yaml": "operation: import-account\npayload:\n  number: REF\n  nmae: NAME\n",
  });
  return runCli(args, { cwd: folder });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
