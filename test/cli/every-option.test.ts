import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { COMPLETE_COMMAND } from "../../src/cli/completion/completion-scripts.ts";
import { createProgram } from "../../src/cli/program.ts";
import { IDLE_SESSION } from "./idle-session.ts";

/** Returns every command that has an action, as the words after `migrate`. */
function commandsBelow(group: Command, words: readonly string[] = []): readonly (readonly string[])[] {
  return group.commands.flatMap((command) => {
    const all = [...words, command.name()];
    const isGroup = command.commands.length > 0 && command.options.length === 0;
    return [...(isGroup ? [] : [all]), ...commandsBelow(command, all)];
  });
}

function commandAt(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  return command;
}

/** Argument values for options, keyed by the notation of the argument. */
const VALUES: Readonly<Record<string, string>> = {
  "n|n%": "5%",
  duration: "90s",
  date: "2026-01-31",
  "host:port": "127.0.0.1:9464",
  scheme: "JWT",
  "every:n|n%|at:n,n": "every:3",
  "ms|ms-ms": "20",
  status: "503",
  codes: "A=Paused",
  "true|false": "false",
};

function valueFor({ flags, argChoices, long }: Option): string | undefined {
  const [, notation] = /[<[]([^>\]]*?)(?:\.\.\.)?[>\]]$/.exec(flags) ?? [];
  if (notation === undefined) return undefined;
  const isNumber = /^(?:n|k|auto\|n|number|bytes|ms|seconds)$/.test(notation);
  return argChoices?.at(-1) ?? VALUES[notation] ?? (isNumber ? "3" : `given${long}`);
}

/** Parses a command line. Returns the name of the command that ran, and the option values that its action received. */
async function ran(words: readonly string[]): Promise<{ readonly name: string; readonly flags: Map<string, unknown> }> {
  const program = createProgram(IDLE_SESSION);
  let result = { name: "", flags: new Map<string, unknown>() };
  for (const names of commandsBelow(program)) {
    const command = commandAt(program, names);
    command.exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined });
    const takeResult = (): void => {
      const given = command.options
        .map((option) => option.attributeName())
        .filter((name) => command.getOptionValueSource(name) === "cli");
      result = { name: names.join(" "), flags: new Map(given.map((name) => [name, command.getOptionValue(name)])) };
    };
    command.action(takeResult);
  }
  await program.parseAsync(words, { from: "user" });
  return result;
}

const CASES = commandsBelow(createProgram(IDLE_SESSION)).flatMap((names) => {
  const command = commandAt(createProgram(IDLE_SESSION), names);
  const needed = command.registeredArguments
    .filter(({ required }) => required)
    .map((argument) => argument.argChoices?.[0] ?? argument.name());
  const options = command.options.filter(({ long }) => long !== "--version");
  return options.map((option) => {
    const others = options.filter((other) => other.mandatory && other !== option).map(({ long }) => `${long}=given`);
    return { name: names.join(" "), names, needed: [...needed, ...others], option, flag: option.long ?? "" };
  });
});

test("the cases include options of nested commands", () => {
  expect(CASES.filter(({ names }) => names.length > 1).length).toBeGreaterThan(100);
});

test.each(CASES)("the action of `$name` receives $flag", async ({ name, names, needed, option, flag }) => {
  const value = valueFor(option);
  const typed = value === undefined ? [flag] : [`${flag}=${value}`];
  for (const words of [
    [...names, ...needed, ...typed],
    [...names, ...typed, ...needed],
  ]) {
    const { name: command, flags } = await ran(words);
    expect(command).toBe(name);
    expect([...flags.keys()]).toContain(option.attributeName());
  }
});

test.each(CASES.filter(({ option }) => valueFor(option) !== undefined))(
  "`$name` refuses an empty value of $flag",
  async ({ names, needed, flag }) => {
    await expect(ran([...names, ...needed, `${flag}=`])).rejects.toMatchObject({ code: "commander.invalidArgument" });
  },
);

test.each(
  commandsBelow(createProgram(IDLE_SESSION))
    .filter((names) => names[0] !== "completion" && !names.includes("help") && names[0] !== COMPLETE_COMMAND)
    .flatMap((names) => {
      const { registeredArguments: all, options } = commandAt(createProgram(IDLE_SESSION), names);
      const others = options.filter(({ mandatory }) => mandatory).map(({ long }) => `${long}=given`);
      const given = all.map(() => "given");
      return all.map((argument, index) => ({
        names: names.join(" "),
        argument: argument.name(),
        empty: [...names, ...others, ...given.with(index, "")],
        blank: [...names, ...others, ...given.with(index, " ")],
      }));
    })
    .filter(({ argument }) => argument !== "value"),
)("`$names` refuses an empty argument `$argument`", async ({ empty, blank }) => {
  await expect(ran(empty)).rejects.toThrow("The value is empty.");
  await expect(ran(blank)).rejects.toThrow("The value is empty.");
});

test("`corrections add` accepts an empty value, which empties the cell", async () => {
  expect(await ran(["corrections", "add", "00010008", "DOB", ""])).toMatchObject({ name: "corrections add" });
});

test.each([[["--ledger", "other.db"]], [["--format=json"]], [["--json"]]])(
  "an option before the name of a nested command reaches the action of that command: %j",
  async (typed) => {
    const { name, flags } = await ran(["proof", ...typed, "verify", "audit"]);
    expect(name).toBe("proof verify");
    expect(flags).toEqual((await ran(["proof", "verify", "audit", ...typed])).flags);
  },
);

test("a nested command refuses an option that only the outer command has", async () => {
  await expect(ran(["proof", "verify", "audit", "--out", "x"])).rejects.toThrow("unknown option '--out'");
});

test("an option of the nested command overrides the same option of the outer command", async () => {
  const { flags } = await ran(["proof", "--ledger", "a.db", "verify", "audit", "--ledger", "b.db"]);
  expect(flags.get("ledger")).toBe("b.db");
});
