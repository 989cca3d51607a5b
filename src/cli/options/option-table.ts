import { Option } from "commander";
import { CHOICES, type NumberRange, PARSERS } from "./option-values.ts";

/** Options by their names: `maxErrors` is `--max-errors`. Flags, help and types of the values derive from it. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

export interface OptionRow {
  /** What follows the name: `<file>`. Nothing follows a switch. */
  readonly arg?: string;
  /** One letter that can be typed in place of the name: `o` for `-o`. */
  readonly short?: string;
  readonly help: string;
  /** How its text is read; default: as it is. */
  readonly kind?: keyof typeof PARSERS;
  /** Of the kind `number`. */
  readonly range?: NumberRange;
  readonly choices?: keyof typeof CHOICES | readonly string[];
  readonly default?: string | number;
  /** The value where its argument is left out. */
  readonly preset?: string;
  /** Typed as `--no-name`, and true otherwise. */
  readonly negated?: true;
  /** The variable of the environment that sets it; true: `MIGRATE_NAME`. */
  readonly env?: true | string;
  /** The configuration file can set it too, under the same name. */
  readonly config?: true;
  /** Names of options that cannot be given beside it. */
  readonly conflicts?: readonly string[];
}

/** The values of a table's options as an action gets them: those with a default are always there. */
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

/** An option whose argument may be left out is then true, unless a preset says otherwise. */
type OptionalArgument<Row> = Row extends { arg: `[${string}]`; preset: string }
  ? never
  : Row extends { arg: `[${string}]` }
    ? true
    : never;

/** The options of a table, in its order. `group` is the heading in `--help`. */
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

/** These options as words of a command that is to mean the same again. */
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

/** `maxErrors`: `max`, `errors`. */
function words(name: string): readonly string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
}
