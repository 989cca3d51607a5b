/**
 * The exit codes of a command and their meaning for the caller. If several apply, the one with the highest priority is
 * returned.
 */
export const EXIT_CODES = {
  0: "every record is valid, or accepted",
  1: "some records are invalid, rejected or duplicates",
  2: "wrong usage, configuration, contract or mapping; an input that cannot be read",
  3: "incomplete; safe to run again, or `migrate resume`",
  4: "stopped by the platform, or by the document store: authentication, import supplier paused, TLS, redirect, wrong endpoint",
  5: "records remain of which nobody knows whether they arrived (`ambiguous`)",
  6: "local storage failed, or a limit of this machine was met (open files, memory, threads)",
  7: "another run is using the ledger",
  70: "a bug in migrate",
} as const;
export type ExitCode = keyof typeof EXIT_CODES;

/** @throws Error (a bug) for any other number */
export function exitCodeOf(code: number): ExitCode {
  if (isExitCode(code)) return code;
  throw new Error(`${code} is no exit code`);
}

function isExitCode(code: number): code is ExitCode {
  return Object.hasOwn(EXIT_CODES, code);
}
