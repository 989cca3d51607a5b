import { type Command, CommanderError } from "commander";
import { Failure } from "../model/failure.ts";
import { knownVariables } from "./options/option-origin.ts";
import type { Flags } from "./options/options.ts";
import { environmentNotices } from "./process/environment.ts";
import { type Logger, loggerFor } from "./process/logger.ts";
import { logExit } from "./process/process-exit.ts";
import type { Session } from "./process/session.ts";
import { createProgram, requestedLogFormat, usesNetwork } from "./program.ts";

/**
 * Runs the given command, logs its failure, if any, and returns the exit code.
 * @param setLogger receives the logger for the command's flags once they are known
 */
export async function runProgram(
  session: Session,
  setLogger: (logger: Logger) => void = () => undefined,
): Promise<number> {
  let logger = loggerFor({}, session);
  const useFlags = (flags: Flags): Logger => {
    logger = loggerFor(flags, session);
    setLogger(logger);
    return logger;
  };
  try {
    requireCurrentFolder();
    forgetEmptyVariables();
    await parseAndRun(session, useFlags);
  } catch (error) {
    session.exitCode = logExit(error, logger);
  }
  return session.exitCode;
}

function requireCurrentFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    const hint = "change to an existing folder, and run the command again";
    throw new Failure("usage", "the current folder no longer exists or cannot be read", { hint, cause });
  }
}

/**
 * Unsets the environment variables of this program and of the document store if they are empty. CI systems set a
 * variable without a value to an empty string.
 */
function forgetEmptyVariables(): void {
  for (const [name, value] of Object.entries(process.env)) {
    if (/^(?:MIGRATE|AWS)_/.test(name) && value === "") delete process.env[name];
  }
}

async function parseAndRun(session: Session, useFlags: (flags: Flags) => Logger): Promise<void> {
  const program = createProgram(session);
  program.hook("preAction", async (_program, command) => {
    const logger = useFlags(command.opts<Flags>());
    // The doctor reports these notices as checks.
    if (command.name() === "doctor") return;
    for (const text of await unknownVariableNotices(program)) logger.notice(text);
    if (usesNetwork(command)) for (const notice of environmentNotices(process)) logger.notice(notice);
  });
  try {
    await program.parseAsync(session.words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Requests for help or the version exit with 0. All other parse errors are usage errors.
    if (error.exitCode === 0) return;
    session.exitCode = 2;
    const logFormat = requestedLogFormat(session.words);
    // If no command was given, Commander has already shown the help as text.
    if (error.code !== "commander.help" || logFormat === "json") {
      logRefusal(error, useFlags({ logFormat }), commandIn(session.words, program));
    }
  }
}

/** Returns a notice for each unknown variable. Loads the module for suggestions only if there are such variables. */
async function unknownVariableNotices(program: Command): Promise<readonly string[]> {
  const known = knownVariables(program);
  if (Object.keys(process.env).every((name) => !name.startsWith("MIGRATE_") || known.includes(name))) return [];
  const { unknownVariables } = await import("./process/machine-checks.ts");
  return unknownVariables(process.env, known);
}

/** Returns the command that the words name, even if options precede it. */
function commandIn(words: readonly string[], program: Command): Command {
  return words.reduce((group, word) => group.commands.find((one) => one.name() === word) ?? group, program);
}

/**
 * Logs why the command line was refused. Commander's message is `error: <problem>`, followed by suggestions in
 * parentheses.
 */
function logRefusal({ code, message }: CommanderError, logger: Logger, command: Command): void {
  const text = code === "commander.help" ? "no command was given" : refusalText(message, command);
  const [first = "", ...suggestions] = text.split("\n");
  logger.failure({
    code: "usage",
    message: first.replace(/^error: /, ""),
    hint: [...suggestions, HELP_HINT].join("\n"),
  });
}

const HELP_HINT = "(see --help)";

/**
 * Removes the value of an unknown option from the message, because the value may be a secret. Commander also reports an
 * unknown option if the user gives a value to an option that takes no value, or puts an option before its command.
 */
function refusalText(text: string, command: Command): string {
  const [given, flag = "", value] = /unknown option '(-[^=']*)(=[^\n]*)?'/.exec(text) ?? [];
  if (given === undefined) return text;
  const known = command.options.find(({ long, short }) => flag === long || flag === short);
  if (known === undefined) return text.replace(given, () => `unknown option '${flag}'`);
  if (value !== undefined && !known.required && !known.optional) return `option '${flag}' takes no value`;
  return `option '${flag}' must follow the command '${command.name()}'`;
}
