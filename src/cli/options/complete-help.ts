import { Command, Help, type Option } from "commander";
import { MESSAGES_GROUP } from "./options.ts";

/** If at least this number of commands have an option with the same description, the option is described only once. */
const SHARED_BY = 2;

/**
 * Prints the help of a command and all its subcommands: the command's own help, the options that several commands
 * share, and then each subcommand with its other options and the names of its shared options.
 */
export function printCompleteHelp(command: Command): void {
  const [, ...below] = withSubcommands(command);
  const shared = sharedOptions(below);
  const output = command.configureOutput();
  command.outputHelp();
  if (shared.size > 0) output.writeOut?.(`\n${sharedHelp(command, [...shared.values()])}`);
  const leaves = below.filter(({ commands, options }) => commands.length === 0 || options.length > 0);
  for (const each of leaves) output.writeOut?.(`\n${shortHelp(each, shared)}`);
}

/** Returns a command and all its visible subcommands, in the order of the help. */
function withSubcommands(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  return [command, ...below.filter((each) => each.name() !== "help").flatMap(withSubcommands)];
}

/** Options by their term and description. */
type Options = ReadonlyMap<string, Option>;

/**
 * Returns the options that several commands share. If options of one group have the same name but differ, returns the
 * most frequent one.
 */
function sharedOptions(commands: readonly Command[]): Options {
  const all = commands.flatMap((command) => visibleOptions(command));
  const counts = new Map<string, number>();
  for (const option of all) counts.set(textOf(option), (counts.get(textOf(option)) ?? 0) + 1);
  const countOf = (option: Option | undefined): number => (option && counts.get(textOf(option))) ?? 0;
  const byName = new Map<string, Option>();
  for (const option of all) {
    const name = `${groupOf(option)} ${option.name()}`;
    if (countOf(option) >= SHARED_BY && countOf(option) > countOf(byName.get(name))) byName.set(name, option);
  }
  // The group of an option can differ between commands. A group with a heading is preferred.
  const found = [...byName.values()].toSorted((a, b) => Number(hasHeading(a)) - Number(hasHeading(b)));
  return new Map(found.map((option) => [textOf(option), option]));
}

function visibleOptions(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help");
}

function textOf(option: Option): string {
  const help = new Help();
  return `${help.optionTerm(option)} ${help.optionDescription(option)}`;
}

function sharedHelp(command: Command, options: readonly Option[]): string {
  const group = new Command("shared").copyInheritedSettings(command).helpOption(false);
  // A command cannot have two options with the same name.
  group.configureHelp({ ...command.configureHelp(), visibleOptions: () => [...options] });
  const lines = group.helpInformation().split("\n");
  return ["Options that several commands share:", ...lines.slice(1)].join("\n");
}

/** Renders the usage, the description, the options that are not shared, and the names of the shared options. */
function shortHelp(command: Command, shared: Options): string {
  const config = command.configureHelp();
  const options = visibleOptions(command);
  const own = options.filter((option) => !shared.has(textOf(option)));
  const others = options.filter((option) => shared.has(textOf(option)) && option.helpGroupHeading !== MESSAGES_GROUP);
  command.configureHelp({
    ...config,
    visibleOptions: () => [...own],
    visibleArguments: () => [],
    visibleCommands: () => [],
  });
  const help = command.helpInformation().trimEnd().replace("\n\n", "\n").replace("\n\nOptions:\n", "\n");
  command.configureHelp(config);
  if (others.length === 0) return `${help}\n`;
  const names = sharedNames(others, shared);
  const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
  return `${help}\n${command.createHelp().boxWrap(`Shared options: ${names}`, width)}\n`;
}

/**
 * Lists the names of the shared options of a command, as `all options in Contract and Input; --config`. If a command
 * has all options in a group, names only the group.
 */
function sharedNames(options: readonly Option[], shared: Options): string {
  const missing = new Set(
    [...shared.values()].filter((option) => !options.some((other) => textOf(other) === textOf(option))).map(groupOf),
  );
  const isWhole = (option: Option): boolean => groupOf(option) !== "Options" && !missing.has(groupOf(option));
  const described = options.map((option) => shared.get(textOf(option)) ?? option);
  const groups = [...new Set(described.filter(isWhole).map(groupOf))];
  const names = described.filter((option) => !isWhole(option)).map((option) => shownName(option, shared));
  return [
    ...(groups.length === 0 ? [] : [`all options in ${LIST.format(groups)}`]),
    ...(names.length === 0 ? [] : [names.join(", ")]),
  ].join("; ");
}

const LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** Returns the name of an option. Adds its group if an option of an earlier group has the same name. */
function shownName(option: Option, shared: Options): string {
  const name = option.long ?? option.short ?? "";
  const first = [...shared.values()].find(({ long }) => long === option.long) ?? option;
  return textOf(first) === textOf(option) ? name : `${name} (${groupOf(option)})`;
}

const hasHeading = (option: Option): boolean => groupOf(option) !== "Options";

function groupOf({ helpGroupHeading = "Options:" }: Option): string {
  return helpGroupHeading.slice(0, -1);
}
