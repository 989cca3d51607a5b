import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { screenOf } from "../../../src/cli/process/terminal.ts";

/** Returns an output stream with the properties that determine whether colours are used. */
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
    ["a terminal without colour support", true, { TERM: "dumb" }, false],
    ["a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
    ["a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, false],
    ["a terminal with an empty FORCE_COLOR", true, { FORCE_COLOR: "" }, true],
    ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, false],
    ["a terminal with NO_COLOR and FORCE_COLOR", true, { NO_COLOR: "1", FORCE_COLOR: "3" }, false],
  ])("depend on the stream and the environment: %s", (_name, isTTY, variables, expected) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    expect(screenOf(output(isTTY), { logFormat: "text" }).colour).toBe(expected);
  });

  it("are never used in JSON lines or with --no-color, even with FORCE_COLOR", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    expect(screenOf(output(true), { logFormat: "json" }).colour).toBe(false);
    expect(screenOf(output(true), { logFormat: "text", color: false }).colour).toBe(false);
  });
});

it("tables have a maximum width only in a terminal", () => {
  expect(screenOf(output(true), {})).toMatchObject({ width: 100, tableWidth: 100 });
  expect(screenOf(output(false), {}).tableWidth).toBe(Number.POSITIVE_INFINITY);
});
