import { Failure } from "../model/failure.ts";
import { createLogger, loggerOptionsOf } from "./process/logger.ts";
import { logExit } from "./process/process-exit.ts";

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

try {
  // Loaded last, so that a limit on open files met while loading is reported as every failure is.
  const { runProgram } = await import("./run-program.ts");
  await runProgram((flags) => {
    logger = createLogger(loggerOptionsOf(flags));
    return logger;
  });
} catch (error) {
  process.exitCode = logExit(error, logger);
}
