import { Option } from "commander";
import { CHOICES, type NumberRange, PARSERS } from "./option-values.ts";

/** Options by name: `maxErrors` is `--max-errors`. Flags, help and value types are derived from it. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

export interface OptionRow {
  /** The argument: `<file>`. A switch has none. */
  readonly arg?: string;
  /** One-letter form of the option: `o` for `-o`. */
  readonly short?: string;
  readonly help: string;
  /** The parser of the text. Default: the text unchanged. */
  readonly kind?: keyof typeof PARSERS;
  /** For the kind `number`. */
  readonly range?: NumberRange;
  readonly choices?: keyof typeof CHOICES | readonly string[];
  readonly default?: string | number;
  /** The value if the argument is omitted. */
  readonly preset?: string;
  /** Typed as `--no-name`. The value is true otherwise. */
  readonly negated?: true;
  /** The environment variable that sets it. True: `MIGRATE_NAME`. */
  readonly env?: true | string;
  /** Whether the configuration file can also set it, with the same name. */
  readonly config?: true;
  /** Names of options that cannot be combined with it. */
  readonly conflicts?: readonly string[];
}

/** The option values that an action receives. Options with a default are always present. */
export type FlagsOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { default: unknown } ? never : Name]?: ValueOf<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends { default: unknown } ? Name : never]: ValueOf<Table[Name]>;
};

type ValueOf<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { choices: infer Name extends keyof typeof CHOICES }
    ? (typeof CHOICES)[Name][number]
    : Row extends { kind: infer Kind extends keyof typeof PARSERS }
      ? ReturnType<(typeof PARSERS)[Kind]> | OptionalArgument<Row>
      : Row extends { arg: `<${string}...>` }
        ? readonly string[]
        : Row extends { arg: string }
          ? string
          : boolean;

/** An option whose argument is omitted is true, unless it has a preset. */
type OptionalArgument<Row> = Row extends { arg: `[${string}]`; preset: string }
  ? never
  : Row extends { arg: `[${string}]` }
    ? true
    : never;

/** The options of a table, in order. `group` is the heading in `--help`. */
export function optionsOf(table: OptionTable, group?: string): readonly Option[] {
  return Object.entries(table).map(([name, row]) => optionOf(name, row, group));
}

export function optionOf(name: string, row: OptionRow, group: string | undefined): Option {
  const { choices, range, env, preset } = row;
  const option = new Option(typedForm(name, row), row.help);
  if (group !== undefined) option.helpGroup(group);
  if (choices !== undefined) option.choices(typeof choices === "string" ? CHOICES[choices] : choices);
  const read = row.kind ?? kindByItself(option);
  if (read !== undefined) option.argParser((text, before: unknown) => PARSERS[read](text, before, range));
  if (row.default !== undefined) option.default(row.default);
  if (preset !== undefined) option.preset(preset);
  if (env !== undefined) option.env(env === true ? `MIGRATE_${words(name).join("_").toUpperCase()}` : env);
  if (row.conflicts !== undefined) option.conflicts([...row.conflicts]);
  return option;
}

/** `-o, --out <dir>` */
function typedForm(name: string, { short, negated, arg }: OptionRow): string {
  const flag = short === undefined ? flagOf(name, negated) : `-${short}, ${flagOf(name, negated)}`;
  return arg === undefined ? flag : `${flag} ${arg}`;
}

function kindByItself({ required, argChoices, variadic }: Option): "text" | undefined {
  return required && argChoices === undefined && !variadic ? "text" : undefined;
}

/** Renders these options as command-line words with the same meaning. */
export function typedAgain(flags: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = flags[name];
    if (value === true) return [flagOf(name)];
    return typeof value === "string" && value !== "" ? [flagOf(name), value] : [];
  });
}

function flagOf(name: string, negated?: true): string {
  return `--${negated === true ? "no-" : ""}${words(name).join("-")}`;
}

/** Splits `maxErrors` into `max`, `errors`. */
function words(name: string): readonly string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
}
