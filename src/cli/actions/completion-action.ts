import type { Command } from "commander";
import { plainText } from "../../text/plain-text.ts";
import { type Candidate, type TypedWords, completeWords } from "../completion/complete-words.ts";
import type { Session } from "../process/session.ts";
import { completionScript, FILES_LINE, type Shell } from "../completion/completion-scripts.ts";

export function completionAction({ stdout }: Session, shell: Shell): void {
  stdout.write(completionScript(shell));
}

/**
 * Prints the candidates for a completion script. A word without candidates is not a failure, because the user is still
 * typing.
 */
export async function completeAction(
  { stdout }: Session,
  words: readonly string[],
  { empty = false }: { readonly empty?: boolean },
  command: Command,
): Promise<void> {
  const program = command.parent ?? command;
  const typedWords = empty || words.length === 0 ? [...words, ""] : words;
  const { candidates, files, valuesOf, prefix, typed } = completeWords(program, typedWords);
  const start = (typedWords.at(-1) ?? "").slice(prefix.length);
  const more = valuesOf === undefined ? [] : await valuesFor(valuesOf, { typed, prefix: start }, program);
  const lines = [...candidates, ...more]
    // The shell would treat a tab or a line break as the end of the value.
    .filter(({ value }) => value.startsWith(start) && !/\p{Cc}/u.test(value))
    .map(({ value, description = "" }) => `${prefix}${value}\t${plainText(description, MAX_DESCRIPTION)}\n`);
  stdout.write(lines.join("") + (files ? `${FILES_LINE}\t${prefix}\n` : ""));
}

const MAX_DESCRIPTION = 100;

/**
 * Looks up the values of an option or argument. Returns no values if the configuration, contract or ledger cannot be
 * read. The completed command reports the reason when the user runs it.
 */
async function valuesFor(
  name: string,
  words: { readonly typed: TypedWords; readonly prefix: string },
  program: Command,
): Promise<readonly Candidate[]> {
  const variables = new Map(variablesOf(program));
  try {
    const { typedValues } = await import("../completion/typed-values.ts");
    return await typedValues(name, { ...words, variable: (option) => process.env[variables.get(option) ?? ""] });
  } catch {
    return [];
  }
}

function variablesOf(command: Command): readonly (readonly [option: string, variable: string])[] {
  const own = command.options.flatMap((option) =>
    option.envVar === undefined ? [] : [[option.attributeName(), option.envVar] as const],
  );
  return [...own, ...command.commands.flatMap(variablesOf)];
}
