import { Failure } from "../model/failure.ts";

/** Returns the failure for a command that needs an existing ledger. */
export function missingLedger(name: string): Failure {
  return new Failure("run_unknown", `there is no ledger at ${name}, so there are no runs`, {
    hint: "create one with `migrate push`, or use --ledger to select an existing one",
  });
}

/**
 * Checks the result of a compare-and-set operation. Fails if another writer has changed the rows since this run last
 * wrote them.
 * @throws Failure `ledger_in_use`
 */
export function requireChanged(changed: number | undefined, expected: number, name: string): void {
  if (changed === expected) return;
  throw new Failure("ledger_in_use", `another run wrote to the ledger ${name} during this run`, {
    hint: "stop all other runs, then run `migrate resume`; records with requests in flight become `ambiguous`",
  });
}

/** @throws Failure `incomplete` if the user stopped the command while it was waiting for another process */
export function requireNotStopped(drain: AbortSignal | undefined, who: string): void {
  if (drain?.aborted !== true) return;
  throw new Failure("incomplete", `stopped while waiting for ${who}; nothing was sent`, {
    hint: "run the same command again",
  });
}
