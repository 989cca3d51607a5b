import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { type Completion, completeWords } from "../../../src/cli/completion/complete-words.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { IDLE_SESSION } from "../idle-session.ts";

const program = createProgram(IDLE_SESSION);

function complete(...words: readonly string[]): Completion {
  return completeWords(program, words);
}

function values(...words: readonly string[]): readonly string[] {
  return complete(...words).candidates.map(({ value }) => value);
}

/** Returns every command that the help shows, with its words. */
function shownCommands(
  command: Command,
  words: readonly string[] = [],
): readonly (readonly [readonly string[], Command])[] {
  const below = command.createHelp().visibleCommands(command);
  return [[words, command] as const, ...below.flatMap((each) => shownCommands(each, [...words, each.name()]))];
}

describe("completion", () => {
  it.each(shownCommands(program))("suggests the commands and options in the help of %s", (words, command) => {
    const help = command.createHelp();
    const flags = help.visibleOptions(command).map(({ long }) => long);
    expect(values(...words, "-")).toEqual(flags);
    const below = help.visibleCommands(command).map((each) => each.name());
    expect(values(...words, "").slice(0, below.length)).toEqual(below);
  });

  it("does not suggest the hidden command that completion scripts call", () => {
    expect(values("")).not.toContain("__complete");
  });

  it("suggests the choices of an option or an argument", () => {
    expect(values("validate", "--format", "")).toEqual(expect.arrayContaining(["text", "ndjson", "junit"]));
    expect(values("validate", "--format=")).toEqual(values("validate", "--format", ""));
    expect(complete("validate", "--format=").prefix).toBe("--format=");
    expect(values("products", "--green=")).toEqual(["true", "false"]);
    expect(values("completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
  });

  it("suggests the values of an option with an optional value, unless the next word is a flag", () => {
    expect(values("products", "--green", "")).toEqual(["true", "false"]);
    expect(values("products", "--green", "--pre")).toContain("--prepay");
    expect(values("products", "--green", "--pre")).not.toContain("--green");
    expect(values("products", "--green", "--prepay", "")).toEqual(["true", "false"]);
    expect(complete("products", "--green", "false", "-").typed).toMatchObject({ positional: [] });
    expect(complete("products", "--green", "--brand", "B", "").typed.options.get("brand")).toEqual(["B"]);
  });

  it.each([
    ["push", "--concurrency", ["auto"]],
    ["validate", "--threads", ["auto"]],
    ["status", "--by", ["owner", "cause", "file", "day"]],
    ["push", "--log-format", ["text", "json"]],
  ])("suggests the fixed values of %s %s", (command, option, expected) => {
    expect(values(command, option, "")).toEqual(expected);
  });

  it("suggests paths where an option or an argument is a path", () => {
    expect(complete("push", "--mapping", "")).toMatchObject({ files: true, candidates: [] });
    expect(complete("push", "--ca=").files).toBe(true);
    expect(complete("validate", "a.csv", "").files).toBe(true);
    expect(complete("contract", "diff", "old.yaml", "").files).toBe(true);
    expect(complete("push", "--limit", "").files).toBe(false);
  });

  it("suggests paths for --ledger, and after the = of an option or a named source", () => {
    expect(complete("status", "--ledger", "")).toMatchObject({ files: true, prefix: "" });
    expect(complete("status", "--ledger=x")).toMatchObject({ files: true, prefix: "--ledger=" });
    expect(complete("push", "--source", "a=x=")).toMatchObject({ files: true, prefix: "a=" });
    expect(complete("push", "--source=a=x")).toMatchObject({ files: true, prefix: "--source=a=" });
  });

  it("looks up targets, operations, runs and keys", () => {
    expect(complete("push", "--target", "l").valuesOf).toBe("target");
    expect(complete("push", "--operation=").valuesOf).toBe("operation");
    expect(complete("resume", "").valuesOf).toBe("run");
    expect(complete("explain", "").valuesOf).toBe("key");
    expect(complete("reconcile", "--accept", "").valuesOf).toBe("accept");
    expect(complete("exclude", "").valuesOf).toBe("keys");
  });

  it("looks up runs after a command that also has subcommands", () => {
    expect(complete("proof", "").valuesOf).toBe("run");
    expect(values("proof", "2026", "")).toEqual([]);
    expect(complete("proof", "verify", "").files).toBe(true);
  });

  it("suggests commands after `help`", () => {
    expect(values("help", "")).toEqual(values(""));
    expect(values("help", "contract", "")).toEqual(values("contract", ""));
    expect(values("contract", "help", "")).toEqual(values("contract", ""));
    expect(values("help", "push", "")).toEqual([]);
    expect(values("help", "unknown", "")).toEqual([]);
  });

  it("suggests paths after a switch, because a switch has no argument", () => {
    expect(complete("push", "--dry-run", "").files).toBe(true);
  });

  it("does not suggest an option again unless it can be repeated", () => {
    const left = values("push", "--dry-run", "--contract", "c.yaml", "--limit=3", "--");
    expect(left).toContain("--contract");
    expect(left).not.toContain("--dry-run");
    expect(left).not.toContain("--limit");
  });

  it("suggests no options after --", () => {
    expect(complete("validate", "--", "-")).toMatchObject({ files: true, candidates: [] });
  });

  it("suggests nothing when a command takes no more arguments", () => {
    expect(complete("resume", "20261122-1", "")).toMatchObject({ files: false, candidates: [] });
    expect(complete("resume", "20261122-1", "").valuesOf).toBeUndefined();
  });

  it("returns the commands, arguments and options typed before the cursor", () => {
    const { typed } = complete("contract", "show", "a.yaml", "--operation", "x", "--format=json", "");
    expect(typed.commands).toEqual(["contract", "show"]);
    expect(typed.positional).toEqual(["a.yaml"]);
    expect(Object.fromEntries(typed.options)).toEqual({ operation: ["x"], format: ["json"] });
  });
});
