import { Failure } from "../model/failure.ts";
import { STATUSES } from "../model/outcome.ts";
import type { OptionRow, OptionTable } from "../options/option-row.ts";
import { isObject, isValue, valueWords } from "../options/option-schemas.ts";
import { suggestionOr } from "../text/suggestion.ts";

/** The definition of every option of a call; the compiler ensures that none is missing. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, OptionRow>>;

/** The options of a table that the library supports. */
export function libraryOptions(table: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).filter(([, { library }]) => library !== undefined));
}

/** @throws Failure `usage` for unknown statuses */
export function requireStatuses(statuses: unknown): void {
  if (statuses === undefined || isValue({ kind: "statuses" }, statuses)) return;
  throw new Failure("usage", "outcomes: `statuses` must be a list of statuses", {
    hint: `valid statuses: ${STATUSES.join(", ")}`,
  });
}

/**
 * Checks options from untyped programs: rejects an unknown option, a missing one, or one of the wrong type. Messages
 * quote no values, because they may be secrets.
 * @param where location of the options: `push`, `push: target`
 * @param optional an option that this call does not require
 * @throws Failure `usage`
 */
export function requireOptions(options: object, table: OptionTable, where: string, optional?: string): void {
  if (!isObject(options)) throw new Failure("usage", `${where}: an object with its options is expected`);
  const rows = new Map(Object.entries(table));
  const given = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const name of Object.keys(options)) if (!rows.has(name)) throw unknownOption(name, where, [...rows.keys()]);
  for (const [name, row] of rows) requireValid(row, given.get(name), `${where}: \`${name}\``);
  for (const [name, row] of rows) {
    if (row.library === "required" && name !== optional && !given.has(name)) {
      throw new Failure("usage", `${where}: \`${name}\` is missing`, { hint: `it must be ${valueWords(row)}` });
    }
  }
  for (const [name, { members }] of rows) {
    const value = given.get(name);
    if (members !== undefined && isObject(value)) requireOptions(value, members, `${where}.${name}`);
  }
}

function requireValid(row: OptionRow, value: unknown, where: string): void {
  if (value === undefined || isValue(row, value)) return;
  const hasNul = typeof value === "string" && value.includes("\0");
  throw new Failure("usage", `${where} must be ${valueWords(row)}${hasNul ? " without a NUL" : ""}`);
}

function unknownOption(name: string, where: string, known: readonly string[]): Failure {
  return new Failure("usage", `${where}: unknown option \`${name}\``, {
    hint: suggestionOr(`valid options: ${known.join(", ")}`, name, known),
  });
}
