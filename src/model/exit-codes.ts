/**
 * The exit codes of a command and their meaning for the caller. If several codes apply, the command returns the code
 * with the highest priority.
 */
export const EXIT_CODES = {
  0: "every record is valid, accepted, skipped or excluded",
  1: "some records are invalid, rejected, duplicate or stale, or exist on the platform with unverified content",
  2: "invalid usage, configuration, contract or mapping, or unreadable input",
  3: "incomplete; safe to run again, or to continue with `migrate resume`",
  4: "stopped by the platform or the document store: authentication, supplier paused or complete, TLS, redirect, wrong endpoint",
  5: "some records have an unknown outcome (`ambiguous`), or the contract does not say how to look records up",
  6: "storage failed; the ledger is corrupt, outdated or lost; or this machine reached a limit (open files, memory, threads)",
  7: "another command or program is using the ledger",
  70: "a bug in migrate",
} as const;
export type ExitCode = keyof typeof EXIT_CODES;

/** @throws Error (a bug) for any other number */
export function exitCodeOf(code: number): ExitCode {
  if (isExitCode(code)) return code;
  throw new Error(`${code} is not an exit code`);
}

function isExitCode(code: number): code is ExitCode {
  return Object.hasOwn(EXIT_CODES, code);
}
