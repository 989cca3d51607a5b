import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { FILE_SETTINGS } from "../../src/cli/settings/config-schema.ts";
import type { OptionTable } from "../../src/options/option-row.ts";
import { flagOf } from "../../src/options/option-values.ts";
import { OWNER } from "../../src/options/migration-options.ts";
import { PACE, STORE, SUPPLIER, TARGET } from "../../src/options/target-options.ts";
import { IDLE_SESSION } from "./idle-session.ts";

/** Returns the page with the tables generated from the option definitions. */
export function withOptionTables(page: string): string {
  const tables: readonly (readonly [section: string, table: string])[] = [
    ["Settings", settingsTable(onlyFile(FILE_SETTINGS))],
    ["Targets", settingsTable(onlyFile({ ...TARGET, ...PACE }))],
    ["Suppliers", settingsTable(SUPPLIER)],
    ["Owners", settingsTable(OWNER)],
    ["Store", settingsTable(STORE.store.members, STORE)],
    ["Timeouts", settingsTable(TARGET.timeouts.members)],
    ["Authentication", settingsTable(TARGET.auth.members, TARGET)],
    ["Environment", variablesTable()],
  ];
  let text = page;
  for (const [section, table] of tables) {
    const start = text.indexOf(`\n## ${section}\n`);
    const before = text.slice(0, start);
    text = before + text.slice(start).replace(/\n\|(?:.*\n\|)*.*\n/, () => `\n${table}\n`);
  }
  return text;
}

const program = createProgram(IDLE_SESSION);

/** Every command, with its words after `migrate`. */
const COMMANDS: readonly (readonly [words: string, command: Command])[] = below(program);

function below(group: Command, words: readonly string[] = []): typeof COMMANDS {
  return group.commands.flatMap((command) => {
    const all = [...words, command.name()];
    return [[all.join(" "), command] as const, ...below(command, all)];
  });
}

/** The flags that set a setting. */
const FLAGS = new Set(COMMANDS.find(([words]) => words === "config show")?.[1].options.map(({ long }) => long));

function onlyFile(table: OptionTable): OptionTable {
  return Object.fromEntries(Object.entries(table).filter(([, { file }]) => file !== undefined));
}

/** Returns a table of settings, each with the flag that sets it. Options in `group` can also set these settings. */
function settingsTable(table: OptionTable, group: OptionTable = {}): string {
  const setBy = new Map(
    Object.entries(group).flatMap(([name, { sets }]) => (sets === undefined ? [] : [[sets, name]])),
  );
  const rows = Object.entries(table).map(([name, { docs = "", members }]) => {
    const flag = flagOf(setBy.get(name) ?? name);
    return [`\`${name}\``, members === undefined && FLAGS.has(flag) ? `\`${flag}\`` : "", docs] as const;
  });
  const hasFlags = rows.some(([, flag]) => flag !== "");
  return hasFlags
    ? tableOf(["setting", "flag", "meaning"], rows)
    : tableOf(
        ["setting", "meaning"],
        rows.map(([name, , docs]) => [name, docs]),
      );
}

function variablesTable(): string {
  const options = COMMANDS.flatMap(([, command]) => command.options).filter(({ envVar }) => envVar !== undefined);
  const flags = new Map(options.map(({ envVar = "", long }) => [envVar, long ?? ""]));
  const rows = [...flags].map(([variable, flag]) => [`\`${variable}\``, `\`${flag}\`${exceptions(flag, variable)}`]);
  return tableOf(["variable", "flag"], rows);
}

/**
 * Returns a note about the commands that have the flag but do not read the variable. The note names these commands, or
 * the commands that read the variable if those are not more. Without such commands, the note for a repeatable flag says
 * that the variable names one file.
 */
function exceptions(flag: string, variable: string): string {
  const having = COMMANDS.filter(([, { options }]) => options.some(({ long }) => long === flag));
  const reads = ({ options }: Command): boolean =>
    options.some(({ long, envVar }) => long === flag && envVar === variable);
  const [readers, others] = [having.filter(([, one]) => reads(one)), having.filter(([, one]) => !reads(one))];
  if (others.length === 0) return isRepeatable(flag) ? ", one file" : "";
  const names = (commands: typeof COMMANDS): string => commands.map(([words]) => `\`${words}\``).join(", ");
  return others.length < readers.length ? ` (except for ${names(others)})` : ` of ${names(readers)}`;
}

function isRepeatable(flag: string): boolean {
  const options = COMMANDS.flatMap(([, command]) => command.options);
  return options.some(({ long, description }) => long === flag && description.includes("(repeatable)"));
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows].map((cells) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |"));
  return [lines[0], `|${heads.map(() => "---|").join("")}`, ...lines.slice(1)].join("\n");
}
