import { CommanderError } from "commander";
import { createProgram } from "./program.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever read our output has gone (`| head`); what the run does to the platform and the ledger goes on.
  if (error.code !== "EPIPE") throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
