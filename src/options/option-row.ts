import type { SupplierStatus } from "../model/supplier-status.ts";

/** Options by name. The flag of `maxErrors` is `--max-errors`. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

/**
 * The definition of an option. Its flag, environment variable, setting, library option, recorded value and
 * documentation are derived from the definition. The comment of a row documents the library option.
 */
export interface OptionRow {
  /** The kind of the value. Default: `object` with `members`, `text` with an `arg`, otherwise `switch`. */
  readonly kind?: Kind;
  readonly choices?: readonly string[];
  /** Minimum and maximum of a number, or minimum length of a list. */
  readonly range?: readonly [min: number, max?: number];
  /** The description in `--help` and in the JSON Schema of the configuration file. */
  readonly help?: string;
  /** Set to false if no flag sets the option. */
  readonly flag?: false;
  /** The argument of the flag, such as `<file>`. A switch has no argument. */
  readonly arg?: string;
  /** The one-letter form of the flag: `o` for `-o`. */
  readonly short?: string;
  /** The value of the flag if its argument is omitted. */
  readonly preset?: string;
  /** The value if neither the flag nor the environment variable is given. */
  readonly default?: string | number;
  /** Set if the flag has the form `--no-name`. Without the flag, the value is true. */
  readonly negated?: true;
  /** Names of options that cannot be combined with this option. */
  readonly conflicts?: readonly string[];
  /** The environment variable that sets the option; `true` means `MIGRATE_NAME`. */
  readonly env?: true | string;
  /** Set if the configuration file has a setting of the same name. */
  readonly file?: true | "required";
  /** The description in docs/configuration.md. Required with `file`. */
  readonly docs?: string;
  /** The members of a group of settings. None of them has a flag unless a command adds one. */
  readonly members?: OptionTable;
  /** The member that the flag of the group sets. */
  readonly sets?: string;
  /** Set if the option is an option of the library. */
  readonly library?: true | "required";
  /** Set if a run records the value. `always`: the recorded value is never absent. */
  readonly recorded?: true | "always";
  /** Set if the value affects which records a push sends. */
  readonly selects?: true;
  /** Set if a re-import of rejects uses the value of the earlier run. */
  readonly reimport?: true;
}

/** The type of value for each kind. */
export interface KindValues {
  readonly text: string;
  /** A string that is not empty and has no whitespace at its start or end. */
  readonly code: string;
  /** A file or folder. A path in the configuration file is relative to that file. */
  readonly path: string;
  /** A date in the form `YYYY-MM-DD`. */
  readonly day: string;
  readonly switch: boolean;
  /** The library also accepts a single path. */
  readonly paths: readonly string[];
  readonly keys: readonly string[];
  readonly number: number;
  readonly amount: number;
  /** Requests per second. */
  readonly rate: number;
  /** A number of seconds within the range of the option. */
  readonly seconds: number;
  /** A number of seconds. The library sets no maximum. */
  readonly timeout: number;
  readonly threads: Threads;
  readonly concurrency: "auto" | number;
  readonly maxErrors: MaxErrors;
  readonly authScheme: AuthScheme;
  readonly supplierStatus: SupplierStatus;
  readonly supplierStatuses: Readonly<Record<string, SupplierStatus>>;
  readonly textsByName: Readonly<Record<string, string>>;
  readonly pathsByName: Readonly<Record<string, string>>;
  readonly listsByName: Readonly<Record<string, readonly string[]>>;
  readonly ruleSettings: Readonly<Record<string, boolean | number | string | readonly string[]>>;
  /** For options that exist only in the library, and for settings with a structure of their own. */
  readonly statuses: unknown;
  readonly object: object | undefined;
  readonly signal: unknown;
  readonly function: unknown;
}
export type Kind = keyof KindValues;

/** The maximum number of invalid records in a run: a count, or a share of all records (0 to 1). */
export type MaxErrors = { readonly count: number } | { readonly share: number };

/** Number of validation threads. `auto`: one per processor, at most 8, if the input is large or validation is slow. */
export type Threads = "auto" | number;

/** Maximum number of threads. More threads would only wait for the single reader. */
export const MAX_THREADS = 64;
/** The maximum number of requests in flight. */
export const MAX_CONCURRENCY = 1024;

/** Whether a text is a value of the kind `code`. */
export function isCode(text: string): boolean {
  return text !== "" && text === text.trim();
}

/** Limits of a rate, in requests per second. */
export const MIN_RATE = 0.001;
export const MAX_RATE = 100_000;

/** Authentication schemes: the prefix of the token, `none` for no prefix, or `basic` for the API key. */
export const AUTH_SCHEMES = ["Token", "JWT", "Bearer", "none", "basic"] as const;
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/** The options of a table, as a program passes them to the library. */
export type LibraryOptions<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { library: "required" } ? Name : never]: GivenValue<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends { library: true } ? Name : never]?:
    | GivenValue<Table[Name]>
    | undefined;
};

/** The settings of a table, as written in the configuration file. */
export type FileValues<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { file: "required" } ? Name : never]: GivenValue<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends { file: true } ? Name : never]?:
    | GivenValue<Table[Name]>
    | undefined;
};

/** The values of a table, as a run records them. */
export type RecordedValues<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { recorded: "always" } ? Name : never]: OptionValue<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends { recorded: true } ? Name : never]?:
    | OptionValue<Table[Name]>
    | undefined;
};

/** The value of a library option. A list of paths may be a single path. */
export type GivenValue<Row> = Row extends { kind: "paths" } ? string | readonly string[] : OptionValue<Row>;

export type OptionValue<Row> = Row extends { members: infer Members }
  ? { readonly [Name in keyof Members]?: OptionValue<Members[Name]> | undefined }
  : Row extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Row extends { kind: infer K extends keyof KindValues }
      ? KindValues[K]
      : Row extends { arg: string }
        ? string
        : boolean;

export function kindOf({ kind, members, arg }: OptionRow): Kind {
  if (members !== undefined) return "object";
  return kind ?? (arg === undefined ? "switch" : "text");
}
