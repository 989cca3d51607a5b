import type { Operation } from "../../src/contract/operations/operation.ts";
import type { Clock } from "../../src/time/clock.ts";
import type { Outcome, Summary } from "../../src/model/outcome.ts";
import { retryAfterMs } from "../../src/transport/retry-delay.ts";
import type { HttpReply, HttpRequest } from "../../src/transport/http.ts";
import { type HeldAccount, type ModelPlatform, partsOf } from "./model-platform.ts";
import { type Durable, hex } from "./killable-ledger.ts";
import { identityOf, type SimulatedRecord } from "./simulated-record.ts";

/** The name of a violated invariant (docs/reliability.md), and a description of the violation. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

export interface WitnessOptions {
  readonly platform: Pick<ModelPlatform, "accounts" | "arrivals">;
  readonly records: readonly SimulatedRecord[];
  readonly operation: Operation;
  readonly concurrency: "auto" | number;
  readonly clock: Clock;
}

/** Observes all events of a simulation and reports violated invariants. */
export interface Witness {
  readonly durable: Durable;
  readonly addViolation: (invariant: string, what: string) => void;
  /** A process starts. */
  readonly begin: () => void;
  /** An older copy replaced the ledger. It may lack records that have been accepted since the copy was made. */
  readonly restored: () => void;
  /** The user has asked the process to stop. */
  readonly drained: () => void;
  /** A record is about to be sent, as soon as a token is available. */
  readonly recordTaken: (key: string) => void;
  readonly requestSent: (request: HttpRequest) => void;
  /** A request has ended, with or without a reply. */
  readonly requestEnded: (request: HttpRequest, reply: HttpReply | undefined) => void;
  /** A process has ended with these outcomes in its ledger. */
  readonly checkOutcomes: (
    outcomes: readonly Outcome[],
    more: { readonly unsaved: number; readonly summary: Summary },
  ) => void;
  readonly violations: () => readonly Violation[];
}

const CEILING = 16;
/**
 * After this number of refusals, refusals may be considered independent of the rate, as long as no more than
 * `MAX_NOISE` of the requests are refused. `MAX_NOISE` is the limit of 40% plus a margin for a small sample.
 */
const REFUSALS_OF_NOISE = 3;
const MAX_NOISE = 0.6;

/**
 * Tracks the waits that Retry-After requires: for all requests, or only for the refused record once refusals may be
 * random.
 */
function createPauses() {
  const ofRecord = new Map<string, number>();
  let ofAll = 0;
  let answered = 0;
  let refused = 0;
  return {
    over(key: string, { isRefused, until }: { readonly isRefused: boolean; readonly until: number }): void {
      answered += 1;
      if (!isRefused) return;
      refused += 1;
      ofRecord.set(key, Math.max(ofRecord.get(key) ?? 0, until));
      ofAll = Math.max(ofAll, until);
    },
    until(key: string): number {
      const mayBeNoise = refused >= REFUSALS_OF_NOISE && refused <= MAX_NOISE * answered;
      return mayBeNoise ? (ofRecord.get(key) ?? 0) : ofAll;
    },
  };
}

export function createWitness(options: WitnessOptions): Witness {
  const { platform, records, operation, concurrency, clock } = options;
  const violations: Violation[] = [];
  const durable: Durable = { sending: new Map(), intents: new Map(), ambiguous: new Set() };
  const accepted = new Map<string, string | undefined>();
  /** Identities that are already ambiguous. A later kill does not count them again. */
  const doubted = new Set<string>();
  const most = concurrency === "auto" ? CEILING : concurrency;
  const isAskedLater = operation.steps.at(-1)?.poll !== undefined;
  let isDrained = false;
  let pauses = createPauses();
  let underWay = 0;

  const addViolation = (invariant: string, what: string): void => void violations.push({ invariant, what });
  const check = (holds: boolean, invariant: string, what: string): void => {
    if (!holds) addViolation(invariant, what);
  };
  const hexOf = (key: string): string => hex(identityOf(key, operation));

  return {
    durable,
    addViolation,
    begin() {
      isDrained = false;
      pauses = createPauses();
      underWay = 0;
      const left = [...durable.sending].filter(([, { harmless }]) => !harmless).map(([id]) => id);
      const inDoubt = left.filter((id) => !doubted.has(id) && !durable.ambiguous.has(id)).length;
      check(inDoubt <= 4 * most, "P5", `${inDoubt} ambiguous records after one kill`);
      for (const id of left) doubted.add(id);
      durable.sending.clear();
    },
    restored: () => accepted.clear(),
    drained() {
      isDrained = true;
    },
    recordTaken: (key) => check(!isDrained, "P14", `${key} was taken after the user had stopped the run`),
    requestSent(request) {
      const { key } = partsOf(request);
      if (isLogin(request)) return;
      const now = clock.monotonic();
      const isLookup = request.method === "GET" || request.url.pathname === "/v2/data-import/accounts/validate/";
      check(isLookup || durable.sending.has(hexOf(key)), "I2", `${key} was sent before its intent was on disk`);
      check(!isDrained, "P14", `${key} was sent after the user had stopped the run`);
      const early = pauses.until(key) - now;
      check(early <= 0, "P9", `${key} was sent ${early} ms before the end of Retry-After`);
      underWay += 1;
      check(underWay <= most, "concurrency", `${underWay} in flight, ${most} allowed`);
    },
    requestEnded(request, reply) {
      if (isLogin(request)) return;
      underWay -= 1;
      const isRefused = reply?.status === 429 || reply?.status === 503;
      const wait = isRefused ? retryAfterMs(reply, clock.now()) : undefined;
      // A rate limit on one of several steps does not affect the other steps.
      if (reply?.status === 429 && wait === undefined && operation.steps.length > 1) return;
      pauses.over(partsOf(request).key, { isRefused, until: clock.monotonic() + (wait ?? 0) });
    },
    checkOutcomes(outcomes, { unsaved, summary }) {
      const numbers = outcomes.map(({ record }) => record);
      const wanted = records.map(({ record }) => record);
      check(String(numbers) === String(wanted), "I1", `outcomes of records ${numbers.join(" ")}`);
      const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
      check(sum === records.length && summary.records === sum, "I5", `the counts add up to ${sum}`);
      for (const outcome of outcomes) {
        const key = outcome.key ?? "";
        const held = platform.accounts.filter((account) => account.key === key);
        for (const [holds, invariant, what] of accountRules(outcome, held, unsaved > 0 || isAskedLater)) {
          check(holds, invariant, `${key} is ${outcome.status}: ${what}`);
        }
        const id = hexOf(key);
        if (outcome.status !== "ambiguous") doubted.delete(id);
        else if (!durable.sending.has(id)) doubted.add(id);
        const isAccepted = outcome.status === "accepted" || outcome.status === "skipped";
        check(isAccepted || !accepted.has(key), "I4", `${key} was accepted, and is ${outcome.status}`);
        if (isAccepted) accepted.set(key, outcome.account);
      }
    },
    violations() {
      const doubled =
        operation.dedupesByKey || operation.steps.length > 0 ? "twice on a deduplicating platform" : "twice";
      const keys = platform.accounts.map(({ key }) => key);
      for (const key of new Set(keys.filter((one, index) => keys.indexOf(one) !== index))) {
        addViolation("nothing twice", `${key} was created ${doubled}`);
      }
      for (const { key } of records) {
        const seen = platform.arrivals.filter((arrival) => arrival.key === key && !arrival.path.includes("/validate/"));
        const intended = durable.intents.get(hexOf(key)) ?? 0;
        check(seen.length <= 2 * intended, "I6", `${seen.length} requests for ${key}, ${intended} intents`);
      }
      return violations;
    },
  };
}

export function isLogin({ url }: HttpRequest): boolean {
  return url.pathname.endsWith("/graphql/");
}

type Rule = readonly [holds: boolean, invariant: string, what: string];

/** @param mayWait whether the ledger may show the record as unsettled although the platform has the account */
export function accountRules(outcome: Outcome, held: readonly HeldAccount[], mayWait: boolean): readonly Rule[] {
  const { status, account } = outcome;
  const isAccepted = status === "accepted" || status === "skipped";
  const numbers = held.map(({ number }) => number);
  return [
    [!isAccepted || held.length > 0, "I3", "the platform holds no such account"],
    [
      !isAccepted || account === undefined || numbers.includes(account),
      "I3",
      `as ${account}, held as ${numbers.join()}`,
    ],
    [
      isAccepted || status === "ambiguous" || status === "existing" || held.length === 0 || mayWait,
      "nothing lost",
      "the account exists",
    ],
  ];
}
