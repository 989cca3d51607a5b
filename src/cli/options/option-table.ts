import { type Command, Option } from "commander";
import type { Kind, OptionRow } from "../../options/option-row.ts";
import { flagOf, variableOf } from "../../options/option-values.ts";
import { CHOICES, PARSERS } from "./option-parsers.ts";

/**
 * Options by name. The flag of `maxErrors` is `--max-errors`. Flags, help and value types are derived from the table.
 */
export type FlagTable = Readonly<Record<string, FlagRow>>;

/** One row of an option table. The command line may have options that the library does not have. */
interface FlagRow extends Omit<OptionRow, "kind" | "choices"> {
  /** The parser of the value. Default: `filled` (see `refuseEmptyValues`), unless `choices` are given. */
  readonly kind?: Kind | keyof typeof PARSERS;
  readonly choices?: keyof typeof CHOICES | readonly string[];
}

/** The option values that an action receives. Options with a default are always present. */
export type FlagsOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { default: unknown } | { flag: false } ? never : Name]?: ValueOf<
    Table[Name]
  >;
} & {
  readonly [Name in keyof Table as Table[Name] extends { default: unknown } ? Name : never]: ValueOf<Table[Name]>;
};

type ValueOf<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { choices: infer Name extends keyof typeof CHOICES }
    ? (typeof CHOICES)[Name][number]
    : Row extends { kind: infer Parser extends keyof typeof PARSERS }
      ? ReturnType<(typeof PARSERS)[Parser]> | OptionalArgument<Row>
      : Row extends { arg: `<${string}...>` }
        ? readonly string[]
        : Row extends { arg: string }
          ? string
          : boolean;

/** The value of an option that is given without its optional argument: `true`, unless the option has a preset. */
type OptionalArgument<Row> = Row extends { arg: `[${string}]`; preset: string }
  ? never
  : Row extends { arg: `[${string}]` }
    ? true
    : never;

/** Returns the options of a table, in order. `group` is their heading in `--help`. */
export function optionsOf(table: FlagTable, group?: string): readonly Option[] {
  return Object.entries(table).flatMap(([name, row]) => (row.flag === false ? [] : [optionOf(name, row, group)]));
}

export function optionOf(name: string, row: FlagRow, group: string | undefined): Option {
  const { short, choices, range, env, preset, kind } = row;
  const form = [short && `-${short},`, flagOf(name, row.negated), row.arg].filter((part) => part !== undefined);
  const option = new TableOption(form.join(" "), row.help);
  if (group !== undefined) option.helpGroup(group);
  if (choices !== undefined) option.choices(typeof choices === "string" ? CHOICES[choices] : choices);
  if (isParsed(kind)) option.argParser((text, before: unknown) => PARSERS[kind](text, before, range));
  if (row.default !== undefined) option.default(row.default);
  if (preset !== undefined) option.preset(preset);
  if (env !== undefined) option.env(env === true ? variableOf(name) : env);
  if (row.conflicts !== undefined) option.conflicts([...row.conflicts]);
  return option;
}

/** An option whose names are computed once, because Commander asks for them very often. */
class TableOption extends Option {
  readonly #name = super.name();
  readonly #attributeName = super.attributeName();

  override name(): string {
    return this.#name;
  }

  override attributeName(): string {
    return this.#attributeName;
  }
}

function isParsed(kind: FlagRow["kind"]): kind is keyof typeof PARSERS {
  return kind !== undefined && kind in PARSERS;
}

/** Makes all options and arguments below a command refuse an empty value, unless they have a parser of their own. */
export function refuseEmptyValues(group: Command): void {
  for (const command of group.commands) {
    refuseEmptyValues(command);
    const options = command.options.filter(({ required, optional }) => required || optional);
    for (const given of [...options, ...command.registeredArguments]) {
      if (given.parseArg !== undefined) continue;
      given.argParser<unknown>(given.variadic ? PARSERS.allFilled : PARSERS.filled);
    }
  }
}

/** Renders the named switches and string options as command-line arguments. Omits other options. */
export function flagsAsTyped(flags: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = flags[name];
    if (value === true) return [flagOf(name)];
    return typeof value === "string" && value !== "" ? [flagOf(name), value] : [];
  });
}
