import type { Command, Option } from "commander";

export interface TypedWords {
  /** Subcommands, without the name of the program: `["contract", "show"]`. */
  readonly commands: readonly string[];
  /** Values by option name (`maxErrors`), in order. Switches have no values. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positional: readonly string[];
}

export interface ReadWords {
  readonly command: Command;
  readonly typed: TypedWords;
  /** The option whose argument is the next word. */
  readonly waiting: Option | undefined;
  /** Whether `--` was typed. */
  readonly onlyPositional: boolean;
}

/** Parses words as the program would, without running anything. */
export function readWords(program: Command, words: readonly string[]): ReadWords {
  const state: ReadingState = {
    command: program,
    waiting: undefined,
    onlyPositional: false,
    typed: { commands: [], options: new Map(), positional: [] },
  };
  for (const word of words) readWord(state, word);
  return state;
}

interface ReadingState {
  command: Command;
  waiting: Option | undefined;
  onlyPositional: boolean;
  readonly typed: {
    readonly commands: string[];
    readonly options: Map<string, readonly string[]>;
    readonly positional: string[];
  };
}

function readWord(state: ReadingState, word: string): void {
  if (state.waiting !== undefined) {
    note(state, state.waiting, [word]);
    state.waiting = undefined;
  } else if (state.onlyPositional) state.typed.positional.push(word);
  else if (word === "--") state.onlyPositional = true;
  else if (word.startsWith("-")) readFlag(state, word);
  else readName(state, word);
}

function readFlag(state: ReadingState, word: string): void {
  const [, flag, value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = state.command.options.find(({ long, short }) => flag === long || flag === short);
  if (option === undefined) return;
  if (value === undefined && option.required) state.waiting = option;
  else note(state, option, value === undefined ? [] : [value]);
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
