import { NON_FIELD_ERRORS } from "../model/attr.ts";
import { Failure } from "../model/failure.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { UNSPECIFIED } from "../platform/reply-problems.ts";
import type { Verdict } from "../platform/verdict.ts";

/** Notices when to go on makes no sense, from the verdicts in the order they come in. */
export interface Circuit {
  /** The failure that ends the run, or undefined. */
  readonly judge: (verdict: Verdict) => Failure | undefined;
}

const SAME_REFUSALS = 5;
const FOREIGN_REPLIES = 3;
const UNANSWERED = 20;

/** @param mostInFlight as many requests may fail together in one cut of the network, which is no reason to stop yet */
export function createCircuit(mostInFlight: number): Circuit {
  const refusals = createStreak();
  const foreign = createStreak();
  const unanswered = createStreak();

  return {
    judge(verdict) {
      const refused = verdict.kind === "rejected" ? codeAlone(verdict.problems) : undefined;
      const unclear = verdict.kind === "ambiguous" ? verdict : undefined;
      const equal = refusals.count(refused);
      const strange = foreign.count(unclear?.foreign === true ? "foreign" : undefined);
      const silent = unanswered.count(unclear?.kind);

      if (refused !== undefined && equal >= SAME_REFUSALS) return allRefused(refused);
      if (unclear !== undefined && strange >= FOREIGN_REPLIES) return notTheApi(unclear.reason);
      if (silent >= Math.max(UNANSWERED, 2 * mostInFlight)) return noAnswers(silent);
      return atOnce(verdict);
    },
  };
}

function atOnce(verdict: Verdict): Failure | undefined {
  if (verdict.kind === "blocked") return supplierClosed(verdict.problems);
  if (verdict.kind === "unauthorised") return unauthorised();
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

/** The code of a refusal that names no field: more likely about the import supplier or the service than the record. */
function codeAlone(problems: readonly PlatformProblem[]): string | undefined {
  const [only] = problems;
  if (only === undefined || problems.length > 1) return undefined;
  return only.attr === NON_FIELD_ERRORS && only.code !== UNSPECIFIED ? only.code : undefined;
}

function supplierClosed([problem]: readonly PlatformProblem[]): Failure {
  return new Failure(
    "supplier_closed",
    `the import supplier takes no accounts for now (${problem?.code ?? "no code"})`,
    {
      hint: "ask the platform's operator to set it to Ongoing, then run `migrate resume`",
    },
  );
}

function unauthorised(): Failure {
  return new Failure("authentication", "the platform accepts neither the token nor a new one (HTTP 401)", {
    hint: "check the credentials and the form of the Authorization header, then run `migrate resume`",
  });
}

function allRefused(code: string): Failure {
  return new Failure("platform_refused", `${SAME_REFUSALS} records in a row were refused with ${code} and no field`, {
    hint: "this looks like the import supplier or the service, not the data; once that is mended, run `migrate resume`",
  });
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
