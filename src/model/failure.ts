import { formatPlace, type Place } from "./place.ts";

/** The failures that end a run, with the exit code that scripts receive (README, "Exit codes"). */
export const FAILURES = {
  too_many_errors: 1,
  usage: 2,
  config: 2,
  source_unreadable: 2,
  source_no_header: 2,
  source_bad_header: 2,
  source_bad_encoding: 2,
  source_unclosed_quote: 2,
  source_wrong_kind: 2,
  source_damaged: 2,
  source_too_large: 2,
  source_changed: 2,
  rejects_changed: 2,
  source_empty: 2,
  source_no_match: 2,
  contract_invalid: 2,
  mapping_invalid: 2,
  run_unknown: 2,
  not_found: 2,
  wrong_target: 2,
  incomplete: 3,
  canary_failed: 3,
  platform_unreachable: 3,
  store_unreachable: 3,
  platform_refused: 4,
  supplier_closed: 4,
  store_refused: 4,
  authentication: 4,
  tls: 4,
  redirect: 4,
  wrong_endpoint: 4,
  nothing_to_ask: 5,
  storage: 6,
  ledger_damaged: 6,
  ledger_outdated: 6,
  ledger_lost: 6,
  ledger_in_use: 7,
} as const;
export type FailureCode = keyof typeof FAILURES;

/**
 * A condition that ends the run: what happened (`message`), how to fix it (`hint`) and where it happened (`place`). One
 * boundary in `cli/` renders it and sets the exit code. Any other exception is a bug.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  /** Resolved path of the file that cannot be read. */
  readonly file: string | undefined;

  constructor(
    code: FailureCode,
    message: string,
    more: {
      readonly hint?: string | undefined;
      readonly place?: Place | undefined;
      readonly file?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "Failure";
    this.code = code;
    this.hint = more.hint;
    this.place = more.place;
    this.file = more.file;
  }

  get exitCode(): number {
    return FAILURES[this.code];
  }
}

/** Creates a failure whose message begins with its place. */
export function failureAt(
  code: FailureCode,
  place: Place,
  what: string,
  more: { readonly hint?: string | undefined } = {},
): Failure {
  return new Failure(code, `${formatPlace(place)}: ${what}`, { ...more, place });
}

/** Returns the result of `work`; the result of `otherwise` if `work` throws a Failure. */
export async function recover<T>(work: () => Promise<T>, otherwise: (failure: Failure) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return otherwise(error);
    throw error;
  }
}

/** Does the same as `recover`, for work that returns no promise. */
export function recoverSync<T>(work: () => T, otherwise: (failure: Failure) => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return otherwise(error);
    throw error;
  }
}

export const BUG_EXIT_CODE = 70;

/** Exit codes, highest priority first (README, "Exit codes"). */
const WORST_FIRST = [BUG_EXIT_CODE, 7, 2, 6, 5, 4, 3, 1, 0] as const;

/** Returns the exit code with the highest priority; 0 for an empty list. */
export function highestPriorityExitCode(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? 0;
}

/** An error as shown to the user. */
export interface ErrorDetails {
  /** The code of a `Failure`, or another code, such as `bug`. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The place in a file, such as `migrate.yaml:3`. */
  readonly place?: string;
}

/** Omits the place if the message begins with the file of the place. */
export function failureDetails({ code, message, hint, place }: Failure): ErrorDetails {
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(place !== undefined && !message.startsWith(`${place.file}:`) && { place: formatPlace(place) }),
  };
}
