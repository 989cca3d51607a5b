import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { runCli } from "./cli.ts";
import { JOB_FLAGS, workFolder } from "./validate-scene.ts";

/** Whether `script`, which runs a command on a new terminal, is installed. Without it, the tests are skipped. */
const HAS_SCRIPT = spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!HAS_SCRIPT)("on a terminal,", () => {
  test("the report is coloured, and the summary follows it", async () => {
    const shown = await onTerminal([], {});
    expect(shown).toContain("\u001b[31mrequired\u001b[39m  name");
    expect(shown).toMatch(/e\.g\. a\.csv:2.*validate a\.csv.*: 1 record/s);
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["--no-color", ["--no-color"], {}],
    ["NO_COLOR", [], { NO_COLOR: "1" }],
    ["a terminal without colour support", [], { TERM: "dumb" }],
  ])("%s disables colours", async (_, flags, env) => {
    const shown = await onTerminal(flags, env);
    expect(shown).toContain("required  name");
    expect(shown).not.toContain("\u001b[3");
  });
});

async function onTerminal(flags: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await runCli(["validate", "a.csv", ...JOB_FLAGS, ...flags], {
    cwd: workFolder({ "a.csv": "REF,NAME,NOTE,MOBILE\nA1,,,\n" }),
    env: { TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    under: ["sh", "-c", 'script -qec "$*" /dev/null', "sh"],
  });
  return stdout;
}
