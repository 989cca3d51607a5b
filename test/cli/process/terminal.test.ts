import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { screenOf } from "../../../src/cli/process/terminal.ts";

/** An output of the process, as far as colours depend on it. */
function output(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(Object.create(process.stdout), { isTTY, columns: 100 });
}

beforeEach(() => {
  for (const name of ["NO_COLOR", "FORCE_COLOR"]) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
});

afterEach(() => vi.unstubAllEnvs());

describe("colours", () => {
  it.each([
    ["a terminal", true, {}, true],
    ["a pipe", false, {}, false],
    ["a terminal that can show none", true, { TERM: "dumb" }, false],
    ["a pipe, where FORCE_COLOR asks for them", false, { FORCE_COLOR: "1" }, true],
    ["a terminal, where FORCE_COLOR is 0", true, { FORCE_COLOR: "0" }, false],
    ["a terminal, where FORCE_COLOR is empty", true, { FORCE_COLOR: "" }, true],
    ["a terminal, where NO_COLOR asks for none", true, { NO_COLOR: "1" }, false],
    ["a terminal, where both are set", true, { NO_COLOR: "1", FORCE_COLOR: "3" }, false],
  ])("%s", (_name, isTTY, variables, expected) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(screenOf(output(isTTY), { logFormat: "text" }).colour).toBe(expected);
  });

  it("are never used in JSON lines, nor with --no-color, whatever FORCE_COLOR says", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    expect(screenOf(output(true), { logFormat: "json" }).colour).toBe(false);
    expect(screenOf(output(true), { logFormat: "text", color: false }).colour).toBe(false);
  });
});
