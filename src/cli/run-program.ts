import { type Command, CommanderError } from "commander";
import { knownVariables } from "./options/option-origin.ts";
import type { Flags } from "./options/options.ts";
import { environmentNotices } from "./process/environment.ts";
import type { Logger } from "./process/logger.ts";
import { createProgram, requestedLogFormat, usesNetwork } from "./program.ts";

/**
 * Runs the command of the command line, and sets the exit code.
 * @param loggerFor makes the logger for the flags once they are known
 */
export async function runProgram(loggerFor: (flags: Flags) => Logger): Promise<void> {
  const program = createProgram();
  program.hook("preAction", async (_program, command) => {
    const logger = loggerFor(command.opts<Flags>());
    // The doctor finds the same, and goes on.
    if (command.name() === "doctor") return;
    for (const text of await unknownVariableNotices(program)) logger.notice(text);
    if (usesNetwork(command)) for (const notice of environmentNotices(process)) logger.notice(notice);
  });
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version that were asked for end with 0; anything else is wrong usage.
    if (error.exitCode === 0) return;
    process.exitCode = 2;
    const logFormat = requestedLogFormat(process.argv);
    // Without a command commander shows the help, as text.
    if (error.code !== "commander.help" || logFormat === "json") logRefusal(error, loggerFor({ logFormat }));
  }
}

/** What finds a suggestion is loaded where one is wanted. */
async function unknownVariableNotices(program: Command): Promise<readonly string[]> {
  const known = knownVariables(program);
  if (Object.keys(process.env).every((name) => !name.startsWith("MIGRATE_") || known.includes(name))) return [];
  const { unknownVariables } = await import("./process/unknown-variables.ts");
  return unknownVariables(process.env, known);
}

/** Commander refuses with `error: what is wrong`, and below it `(what may have been meant)`. */
function logRefusal({ code, message }: CommanderError, logger: Logger): void {
  const text = code === "commander.help" ? "no command is given" : withoutValue(message);
  const [first = "", ...suggestions] = text.split("\n");
  logger.failure({
    code: "usage",
    message: first.replace(/^error: /, ""),
    hint: [...suggestions, HELP_HINT].join("\n"),
  });
}

const HELP_HINT = "(see --help)";

/** An unknown option may have been meant for a secret: its value is not repeated. */
function withoutValue(text: string): string {
  return text.replace(/(unknown option '-[^=']*)=[^\n]*'/, "$1'");
}
