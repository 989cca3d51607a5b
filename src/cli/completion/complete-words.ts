import type { Argument, Command, Option } from "commander";

/** The possible values of an option or argument. */
interface Values {
  readonly candidates: readonly Candidate[];
  /** Whether paths are also possible. The shell completes paths itself. */
  readonly files: boolean;
  /** The option or argument whose values need a further lookup. */
  readonly valuesOf?: string;
}

/** The possible values of the last word. */
export interface Completion extends Values {
  /** The text before each value, such as `--target=`. */
  readonly prefix: string;
  /** The parsed words before the last word. */
  readonly typed: TypedWords;
}

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** Completes the last word of a command line, using only the declared commands and options. */
export function completeWords(program: Command, words: readonly string[]): Completion {
  const current = words.at(-1) ?? "";
  const { command, typed, waiting, onlyPositional } = readWords(program, words.slice(0, -1));
  const from = { typed, prefix: "" };
  if (waiting !== undefined && takesValue(waiting, current)) return { ...from, ...valuesOfOption(waiting, current) };
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const named = flag === undefined || onlyPositional ? undefined : command.options.find(({ long }) => long === flag);
  if (named !== undefined && value !== undefined) {
    const { prefix = "", ...values } = valuesOfOption(named, value);
    return { ...from, ...values, prefix: `${flag}=${prefix}` };
  }
  if (current.startsWith("-") && !onlyPositional)
    return { ...from, candidates: untypedOptions(command, typed), files: false };
  return { ...from, ...valuesOfName(command, typed.positional) };
}

function valuesOfName(command: Command, positional: readonly string[]): Values {
  if (command.name() === "help")
    return { candidates: commandsBelow(command.parent ?? undefined, positional), files: false };
  const own = valuesOfArgument(argumentAt(command, positional.length));
  return positional.length > 0 ? own : { ...own, candidates: [...visibleCommands(command), ...own.candidates] };
}

/** Returns the subcommands of the command with these names below `group`. */
function commandsBelow(group: Command | undefined, names: readonly string[]): readonly Candidate[] {
  const named = names.reduce((within, name) => within?.commands.find((each) => each.name() === name), group);
  return named === undefined ? [] : visibleCommands(named);
}

/**
 * @param value the part of the value that has been typed
 * @returns `prefix`: the part before the path in `name=path`
 */
function valuesOfOption(option: Option, value: string): Values & { readonly prefix?: string } {
  const choices = option.argChoices ?? FIXED_VALUES[option.flags.split(" ").at(-1) ?? ""];
  if (choices !== undefined) return onlyValues(choices);
  const [prefix = ""] = option.flags.includes("<name=path>") ? (/^[^=]*=/.exec(value) ?? []) : [];
  return {
    candidates: [],
    files: /<(file|path|path\|url|dir|pem|name=path|place)(\.\.\.)?>/.test(option.flags),
    valuesOf: option.attributeName(),
    prefix,
  };
}

/** The fixed values of options without declared choices, by the form of the value. */
const FIXED_VALUES: Readonly<Record<string, readonly string[]>> = {
  "[true|false]": ["true", "false"],
  "<auto|n>": ["auto"],
};

function valuesOfArgument(argument: Argument | undefined): Values {
  if (argument === undefined) return { candidates: [], files: false };
  const name = argument.name();
  if (argument.argChoices !== undefined) return onlyValues(argument.argChoices);
  return { candidates: [], files: PATH_ARGUMENTS.has(name), valuesOf: name };
}

function onlyValues(choices: readonly string[]): Values {
  return { candidates: choices.map((value) => ({ value })), files: false };
}

const PATH_ARGUMENTS: ReadonlySet<string> = new Set(["sources", "files", "old", "new", "dir", "file"]);

function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
}

/** Returns the options of a command that are repeatable or have not been typed yet. */
function untypedOptions(command: Command, { options }: TypedWords): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => {
      const isRepeatable = option.variadic || option.description.includes("(repeatable)");
      return isRepeatable || !options.has(option.attributeName());
    })
    .map(({ long, flags, description }) => ({ value: long ?? flags, description }));
}

function visibleCommands(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }));
}

export interface TypedWords {
  /** The command and its subcommand, without the name of the program, such as `["contract", "show"]`. */
  readonly commands: readonly string[];
  /** Values by option name (`maxErrors`), in order. Switches have no values. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positional: readonly string[];
}

/** Parses words as the program would, without running anything. */
function readWords(command: Command, words: readonly string[]): Readonly<ReadingState> {
  const typed = { commands: [], options: new Map(), positional: [] };
  const state: ReadingState = { command, waiting: undefined, onlyPositional: false, typed };
  for (const word of words) readWord(state, word);
  return state;
}

interface ReadingState {
  command: Command;
  /** The option that takes the next word as its argument, if `takesValue`. */
  waiting: Option | undefined;
  /** Whether `--` was typed. */
  onlyPositional: boolean;
  readonly typed: {
    readonly commands: string[];
    readonly options: Map<string, readonly string[]>;
    readonly positional: string[];
  };
}

/**
 * Whether the word is the value of the option before it. A flag is not the value of an option whose value is optional.
 */
function takesValue(option: Option, word: string): boolean {
  return option.required || word === "-" || !word.startsWith("-");
}

function readWord(state: ReadingState, word: string): void {
  const { waiting } = state;
  state.waiting = undefined;
  if (waiting !== undefined && takesValue(waiting, word)) note(state, waiting, [word]);
  else if (state.onlyPositional) state.typed.positional.push(word);
  else if (word === "--") state.onlyPositional = true;
  else if (word.startsWith("-")) readFlag(state, word);
  else readName(state, word);
}

function readFlag(state: ReadingState, word: string): void {
  const [, flag, value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = state.command.options.find(({ long, short }) => flag === long || flag === short);
  if (option === undefined) return;
  const hasValueNext = value === undefined && (option.required || option.optional);
  if (hasValueNext) state.waiting = option;
  if (!hasValueNext || option.optional) note(state, option, value === undefined ? [] : [value]);
}

function readName(state: ReadingState, word: string): void {
  const { commands, positional } = state.typed;
  const below = positional.length > 0 ? undefined : state.command.commands.find((each) => each.name() === word);
  if (below === undefined) positional.push(word);
  else {
    state.command = below;
    commands.push(word);
  }
}

function note({ typed: { options } }: ReadingState, option: Option, values: readonly string[]): void {
  const name = option.attributeName();
  options.set(name, [...(options.get(name) ?? []), ...values]);
}
