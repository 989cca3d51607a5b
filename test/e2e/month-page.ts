import { readFileSync } from "node:fs";
import { projectFile } from "./cli.ts";

/** One day in docs/migration.md. */
export interface PageDay {
  readonly day: number;
  /** The words of each command after `migrate`. */
  readonly commands: readonly (readonly string[])[];
  /** Each output as shown on the page. */
  readonly outputs: readonly string[];
}

const page = readFileSync(projectFile("docs/migration.md"), "utf8");

const codeIn = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, found, code = ""]) => (found === language ? code : []));

/** Returns the `migrate.yaml` shown on the page. */
export function monthSettings(): string {
  return codeIn(page, "yaml").join("\n");
}

export function pageDays(): readonly PageDay[] {
  return page.split(/^## /m).flatMap((section) => {
    const day = /^Day (\d+):/.exec(section)?.[1];
    if (day === undefined) return [];
    const commands = codeIn(section, "sh").flatMap((code) => code.trim().split("\n"));
    return { day: Number(day), commands: commands.map(wordsOf), outputs: codeIn(section, "") };
  });
}

/** Returns the words after `migrate` in a command, for example in `migrate push a.csv --reason "closed in 2019"`. */
function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  if (words[0] !== "migrate") throw new Error(`not a command of migrate: ${command}`);
  return words.slice(1);
}
