import { CommanderError } from "commander";
import { Failure } from "../model/failure.ts";
import { logExit } from "./process/process-exit.ts";
import type { Flags } from "./options/options.ts";
import { environmentNotices } from "./process/environment.ts";
import { createProgram, usesNetwork } from "./program.ts";
import { createLogger, loggerOptionsOf } from "./process/logger.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of stdout has gone (`| head`); the run goes on.
  if (error.code === "EPIPE") return;
  throw new Failure("storage", `stdout cannot be written: ${error.code ?? error.name}`, {
    hint: "see to the disk that it goes to; what a push has done is in the ledger: `migrate report`",
    cause: error,
  });
});
// There is nowhere left to write to.
process.stderr.on("error", () => undefined);

// CI systems set a variable without a value to an empty text: that is the same as not set.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith("MIGRATE_") && value === "") delete process.env[name];
}

let logger = createLogger(loggerOptionsOf({}));
// Thrown in a listener, in a promise that is not awaited, or by a second signal.
process.on("uncaughtException", (error) => process.exit(logExit(error, logger)));

const program = createProgram();
program.hook("preAction", (_program, command) => {
  logger = createLogger(loggerOptionsOf(command.opts<Flags>()));
  if (usesNetwork(command)) for (const notice of environmentNotices(process)) logger.notice(notice);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? usageExitCode(error) : logExit(error, logger);
}

/** Help and version are asked for; anything else is wrong usage. */
function usageExitCode({ exitCode }: CommanderError): number {
  return exitCode === 0 ? 0 : 2;
}
