import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

function runScript(name: string, { args = [], input = "" }: { args?: readonly string[]; input?: string }) {
  const script = path.join(ROOT, ".ci", name);
  return spawnSync(process.execPath, [script, ...args], { input, encoding: "utf8" });
}

function vulnerable(name: string, severity: string): string {
  const via = [{ title: "Reads what it should not", url: "https://advisories.test/1" }];
  return JSON.stringify({ auditReportVersion: 2, vulnerabilities: { [name]: { name, severity, via } } });
}

describe("the gate for known vulnerabilities", () => {
  it("passes without known vulnerabilities", () => {
    const { status, stdout } = runScript("vulnerabilities.mjs", { input: '{"vulnerabilities":{}}' });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: "answered: 0 packages with known vulnerabilities, 0 refused\n",
    });
  });

  it.each([
    ["a vulnerability of low severity in a bundled package", "undici", "low"],
    ["a high-severity vulnerability in a tool", "vitest", "high"],
    ["a critical vulnerability in a dependency of a tool", "rollup", "critical"],
  ])("fails for %s", (_, name, severity) => {
    const { status, stdout } = runScript("vulnerabilities.mjs", { input: vulnerable(name, severity) });
    expect(status).toBe(1);
    expect(stdout).toContain(`${severity}: Reads what it should not https://advisories.test/1`);
  });

  it("passes for a moderate-severity vulnerability in a tool, and prints the vulnerability", () => {
    const { status, stdout } = runScript("vulnerabilities.mjs", { input: vulnerable("vitest", "moderate") });
    expect(status).toBe(0);
    expect(stdout).toContain("vitest: moderate");
  });

  it.each([
    ["rejects the request", '{"message":"405 Method Not Allowed","error":{"summary":"","detail":""}}', "405"],
    ["returns nothing", "", "no message"],
  ])("passes, but says that nothing was checked, if the registry %s", (_, input, why) => {
    const { status, stdout } = runScript("vulnerabilities.mjs", { input });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^unanswered: /);
    expect(stdout).toContain(why);
  });
});

describe("the gate for licences", () => {
  const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));
  const withLicence = (name: string, license: string | undefined): string => {
    const file = path.join(temporaryFolder(), "package-lock.json");
    const packages = { ...lock.packages, [name]: { ...lock.packages[name], license } };
    writeFileSync(file, JSON.stringify({ packages }));
    return file;
  };

  it("passes for the lock file of the project", () => {
    const { status, stdout } = runScript("licences.mjs", {});
    expect(stdout).toMatch(/^\d+ packages, \d+ in the bundle, 0 with a licence that is not on the list$/m);
    expect(status).toBe(0);
  });

  it.each([
    ["a bundled package with a copyleft licence", "node_modules/zod", "MPL-2.0"],
    ["a tool with a licence that is not on the list", "node_modules/vitest", "GPL-3.0-only"],
    ["a package without a licence", "node_modules/vitest", undefined],
  ])("fails for %s", (_, name, licence) => {
    const { status, stdout } = runScript("licences.mjs", { args: [withLicence(name, licence)] });
    expect(status).toBe(1);
    expect(stdout).toContain(`${licence ?? "no licence"} is not on the list`);
  });
});
