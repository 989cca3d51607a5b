import { Failure } from "../model/failure.ts";
import { neitherAccepted } from "../platform/renewed-token.ts";
import type { Verdict } from "../platform/verdict.ts";

/** Notices when to go on makes no sense for anybody, from the verdicts in the order they come in. */
export interface Circuit {
  /** The failure that ends the run, or undefined. */
  readonly judge: (verdict: Verdict) => Failure | undefined;
}

const FOREIGN_REPLIES = 3;
const UNANSWERED = 20;

/** @param mostInFlight as many requests may fail together in one cut of the network, which is no reason to stop yet */
export function createCircuit(mostInFlight: number): Circuit {
  const foreign = createStreak();
  const unanswered = createStreak();

  return {
    judge(verdict) {
      const unclear = verdict.kind === "ambiguous" ? verdict : undefined;
      const strange = foreign.count(unclear?.foreign === true ? "foreign" : undefined);
      const silent = unanswered.count(unclear?.kind);

      if (unclear !== undefined && strange >= FOREIGN_REPLIES) return notTheApi(unclear.reason);
      if (silent >= Math.max(UNANSWERED, 2 * mostInFlight)) return noAnswers(silent);
      return atOnce(verdict);
    },
  };
}

function atOnce(verdict: Verdict): Failure | undefined {
  if (verdict.kind === "unauthorised") return neitherAccepted();
  return verdict.kind === "stop" ? verdict.failure : undefined;
}

interface Streak {
  /** How many times in a row the same thing was counted; undefined ends the row. */
  readonly count: (what: string | undefined) => number;
}

function createStreak(): Streak {
  let last: string | undefined;
  let length = 0;
  return {
    count(what) {
      length = what === last ? length + 1 : 1;
      last = what;
      return what === undefined ? 0 : length;
    },
  };
}

function notTheApi(reason: string): Failure {
  return new Failure("wrong_endpoint", `${FOREIGN_REPLIES} answers in a row were not the API's: ${reason}`, {
    hint: "check the base URL, and whether a proxy or a login page stands in between; the records in doubt are in the report",
  });
}

function noAnswers(count: number): Failure {
  return new Failure("incomplete", `${count} requests in a row got no trustworthy answer`, {
    hint: "once the platform is well again, look up the records in doubt (they are in the report), then run `migrate resume`",
  });
}
