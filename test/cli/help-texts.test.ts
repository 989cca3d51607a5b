import { readdirSync } from "node:fs";
import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../../src/cli/options/help-texts.ts";
import { MESSAGES_GROUP } from "../../src/cli/options/options.ts";
import { createProgram } from "../../src/cli/program.ts";
import { IDLE_SESSION } from "./idle-session.ts";

/** Returns the commands without subcommands, each with the words of its parents. */
function leaves(command: Command, words: readonly string[] = []): readonly string[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== "help");
  return below.length === 0 ? [words.join(" ")] : below.flatMap((each) => leaves(each, [...words, each.name()]));
}

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

/** Parses these words and returns the name of the command, without running it. */
async function commandOf(words: string): Promise<string> {
  const program = createProgram(IDLE_SESSION);
  const ran: string[] = [];
  for (const command of allCommands(program)) {
    command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    if (command === program) continue;
    const parent = command.parent === program || command.parent === null ? [] : [command.parent.name()];
    command.action(() => void ran.push([...parent, command.name()].join(" ")));
  }
  await program.parseAsync(words.split(" "), { from: "user" });
  return ran.join();
}

function helpOf(width: number, ...names: readonly string[]): string {
  const program = createProgram(IDLE_SESSION);
  let command: Command = program;
  for (const name of names) command = command.commands.find((each) => each.name() === name) ?? program;
  let text = "";
  command.configureOutput({ writeOut: (part) => void (text += part), getOutHelpWidth: () => width });
  command.outputHelp();
  return text;
}

function isInEveryCommand({ helpGroupHeading, long }: Option): boolean {
  return helpGroupHeading === MESSAGES_GROUP || long === "--help";
}

async function printed(words: readonly string[]): Promise<string> {
  const program = createProgram(IDLE_SESSION);
  let text = "";
  for (const command of allCommands(program)) command.configureOutput({ writeOut: (part) => void (text += part) });
  await program.parseAsync(words, { from: "user" });
  return text;
}

async function allHelp(words: readonly string[]): Promise<readonly string[]> {
  const text = await printed(words);
  return [...text.matchAll(/^Usage: migrate (.*?)(?: \[options\]| \[command\]| [[<].*)*$/gm)].map(
    ([, name = ""]) => name,
  );
}

describe("the examples in --help", () => {
  it.each(leaves(createProgram(IDLE_SESSION)))("exist for %s", (name) => {
    expect(EXAMPLES[name]?.length ?? 0).toBeGreaterThan(0);
  });

  it.each(Object.entries(EXAMPLES).flatMap(([name, examples]) => examples.map((words) => [words, name] as const)))(
    "are valid: migrate %s",
    async (words, name) => {
      expect((await commandOf(words)).startsWith(name)).toBe(true);
    },
  );

  it("fit on a screen of 80 columns", () => {
    const long = Object.values(EXAMPLES)
      .flat()
      .filter((words) => `  migrate ${words}`.length > 80);
    expect(long).toEqual([]);
  });
});

describe("--help", () => {
  it("names the credential variables for commands that use a platform or a store", () => {
    for (const name of ["push", "token", "doctor"]) expect(helpOf(80, name)).toContain("MIGRATE_API_KEY");
    expect(helpOf(80, "documents", "check")).toContain("AWS_SECRET_ACCESS_KEY");
    expect(helpOf(80, "preview")).not.toContain("MIGRATE_API_KEY");
  });

  it("wraps options on a narrow screen", () => {
    const [options = ""] = helpOf(50, "push").split("Credentials (");
    const long = options.split("\n").filter((line) => line.length > 50);
    // A word that is wider than its column gets its own line.
    expect(long.filter((line) => line.trim().includes(" "))).toEqual([]);
  });

  it("says where the documentation is", () => {
    const [, folder = ""] = /\nDocumentation\n {2}(.+)\n/.exec(helpOf(80)) ?? [];
    expect(readdirSync(folder)).toContain("mapping.md");
  });
});

describe("migrate help --all", () => {
  it("shows the help of every command", async () => {
    const shown = await allHelp(["help", "--all"]);
    expect(shown).toEqual(expect.arrayContaining([...leaves(createProgram(IDLE_SESSION))]));
    expect(new Set(shown).size).toBe(shown.length);
  });

  it("describes shared options once, in fewer than 600 lines", async () => {
    const text = await printed(["help", "--all"]);
    expect(text.match(/^ +-m, --mapping <file>/gm)).toHaveLength(1);
    expect(text.split("\n").length).toBeLessThan(600);
  });

  it("names every option of every command, or the group of the option", async () => {
    const text = await printed(["help", "--all"]);
    const shared = text.slice(
      text.indexOf("Options that several commands share:"),
      text.indexOf("\nUsage: migrate init"),
    );
    const groups = shared.split(/^(?=\S+:$)/m);
    const isInGroup = (part: string, { long = "" }: Option): boolean => {
      const named =
        /^Shared options: all options in ([^;]+)/m
          .exec(part)?.[1]
          ?.trim()
          .split(/,\s+|\s+and\s+/) ?? [];
      return named.some((name) => groups.some((lines) => lines.startsWith(`${name}:`) && lines.includes(`${long} `)));
    };
    const parts = new Map(
      text.split(/^Usage: migrate /m).map((part) => [/^(?:[a-z-]+ ?)*/.exec(part)?.[0].trim() ?? "", part]),
    );
    const missing = allCommands(createProgram(IDLE_SESSION)).flatMap((command) => {
      const name = [command.parent?.parent == null ? "" : command.parent.name(), command.name()].join(" ").trim();
      const part = parts.get(name);
      const shown = command.createHelp().visibleOptions(command);
      return part === undefined
        ? []
        : shown
            .filter((each) => !isInEveryCommand(each) && !part.includes(each.long ?? "") && !isInGroup(part, each))
            .map(({ long }) => `${name} ${long}`);
    });
    expect(missing).toEqual([]);
    expect(parts.size).toBeGreaterThan(30);
  });

  it("shows the help of one group", async () => {
    expect(await allHelp(["help", "ledger", "--all"])).toEqual([
      "ledger",
      "ledger check",
      "ledger repair",
      "ledger export",
    ]);
  });
});

describe("short forms of options", () => {
  it("have the same meaning in every command", () => {
    const pairs = allCommands(createProgram(IDLE_SESSION))
      .flatMap(({ options }) => options)
      .flatMap(({ short, long }) => (short === undefined ? [] : [`${short} ${long}`]));
    const letters = new Set(pairs.map((pair) => pair.split(" ")[0]));
    expect(new Set(pairs).size).toBe(letters.size);
  });

  it.each([
    [["--json"], "json"],
    [["--format", "markdown", "--json"], "json"],
    [["--json", "--format", "markdown"], "markdown"],
    [[], "text"],
  ])("include --json for --format json, and the last of the two flags applies: %j", async (words, expected) => {
    const program = createProgram(IDLE_SESSION);
    const show = allCommands(program).find((each) => each.name() === "show" && each.parent?.name() === "contract");
    let format: unknown;
    show?.action((_files, flags: { readonly format: string }) => void (format = flags.format));
    await program.parseAsync(["contract", "show", "a.yaml", ...words], { from: "user" });
    expect(format).toBe(expected);
  });
});
