import { Failure } from "../model/failure.ts";
import { systemClock } from "../time/system-clock.ts";
import { listenForInterrupts } from "./process/interrupts.ts";
import { loggerFor } from "./process/logger.ts";
import { logExit } from "./process/process-exit.ts";
import type { Session } from "./process/session.ts";

const [, program = "", ...words] = process.argv;
const { stdin, stdout, stderr } = process;
const session: Session = {
  program,
  words,
  stdin,
  stdout,
  stderr,
  clock: systemClock,
  listen: listenForInterrupts,
  exitCode: 0,
};

stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader has closed stdout (`| head`). The run continues.
  if (error.code === "EPIPE") return;
  throw new Failure("storage", `cannot write to stdout: ${error.code ?? error.name}`, {
    hint: ["push", "resume"].includes(words[0] ?? "")
      ? "check the disk that stdout is written to; `migrate report` renders the results of a push from the ledger"
      : "check the disk that stdout is written to, then run the same command again",
    cause: error,
  });
});
// If stderr fails, there is no other output for errors.
stderr.on("error", () => undefined);

let logger = loggerFor({}, session);
// Handles errors that are thrown in a listener, in a promise that is not awaited, or by a second signal.
process.on("uncaughtException", (error) => process.exit(logExit(error, logger)));

try {
  // Imported last, so that an error while loading, such as too many open files, is reported like any other failure.
  const { runProgram } = await import("./run-program.ts");
  process.exitCode = await runProgram(session, (current) => {
    logger = current;
  });
} catch (error) {
  process.exitCode = logExit(error, logger);
}
