import { CommanderError } from "commander";
import { createProgram } from "./program.ts";

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
