import { setFlagsFromString } from "node:v8";
import { CommanderError } from "commander";
import { createProgram } from "./program.ts";

/**
 * Records stream through and none stays, but V8 takes the lists that it meets in the middle of a batch for long-lived
 * ones, makes the next ones old from the start, and lets them hold on to whatever was young: 50 MB and a quarter of
 * the time of `validate` on nested payloads.
 */
setFlagsFromString("--no-allocation-site-pretenuring");

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever read our output has gone (`| head`); what the run does to the platform and the ledger goes on.
  if (error.code !== "EPIPE") throw error;
});

// A pipeline that has no value for a variable sets it to nothing.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith("MIGRATE_") && value === "") delete process.env[name];
}

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
