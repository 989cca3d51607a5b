import type { Operation } from "../../src/contract/operations/operation.ts";
import type { Clock } from "../../src/time/clock.ts";
import type { Outcome, Summary } from "../../src/model/outcome.ts";
import { retryAfterMs } from "../../src/transport/retrying-http.ts";
import type { HttpReply, HttpRequest } from "../../src/transport/http.ts";
import { createAcceptedContents, hasPlannedContent, isCorrected } from "./accepted-contents.ts";
import { type HeldAccount, type ModelPlatform, type OnRepeat, partsOf } from "./model-platform.ts";
import { type Durable, hex } from "./killable-ledger.ts";
import { contentOf, identityOf, type SimulatedRecord } from "./simulated-record.ts";

/** The name of a violated invariant (docs/reliability.md), and a description of the violation. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

export interface WitnessOptions {
  readonly platform: Pick<ModelPlatform, "accounts" | "arrivals">;
  readonly records: readonly SimulatedRecord[];
  readonly operation: Operation;
  readonly onRepeat: OnRepeat;
  readonly concurrency: "auto" | number;
  readonly clock: Clock;
}

/** Observes all events of a simulation and reports violated invariants. */
export interface Witness {
  readonly durable: Durable;
  readonly addViolation: (invariant: string, what: string) => void;
  /** A process starts. */
  readonly begin: () => void;
  /** A run is about to send records. `revise`: the user sends changes of accepted records. */
  readonly sending: (run: { readonly revise: boolean }) => void;
  /** A changed record is about to be sent, although the platform has the record under this account number. */
  readonly revising: (key: string, account: string) => void;
  /** An older copy replaced the ledger. It may lack records that have been accepted since the copy was made. */
  readonly restored: () => void;
  /** The user has asked the process to stop. */
  readonly drained: () => void;
  /** A record is about to be sent, as soon as a token is available. */
  readonly recordTaken: (key: string) => void;
  readonly requestSent: (request: HttpRequest) => void;
  /** A request has ended, with or without a reply. */
  readonly requestEnded: (request: HttpRequest, reply: HttpReply | undefined) => void;
  /** A process was killed with these outcomes in its ledger. */
  readonly killed: (outcomes: readonly Outcome[], rows: readonly SimulatedRecord[]) => void;
  /** A process has ended with these outcomes in its ledger. */
  readonly checkOutcomes: (outcomes: readonly Outcome[], more: EndedProcess) => void;
  /** Call this when all requests have arrived. */
  readonly violations: () => readonly Violation[];
}

interface EndedProcess {
  readonly unsaved: number;
  readonly summary: Summary;
  /** The input that the run planned. */
  readonly rows: readonly SimulatedRecord[];
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
  const { platform, records, operation, onRepeat, concurrency, clock } = options;
  const violations: Violation[] = [];
  const durable: Durable = { sending: new Map(), intents: new Map(), ambiguous: new Set() };
  const accepted = createAcceptedContents(onRepeat === "update");
  /** The account numbers of records that the user has revised, by key. */
  const revised = new Map<string, Set<string>>();
  let claims: readonly Claim[] = [];
  let revises = false;
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
  const heldFor = (key: string): readonly HeldAccount[] => platform.accounts.filter((account) => account.key === key);
  const isReported = (key: string, content: string): boolean => accepted.isExisting(key) || accepted.has(key, content);
  const settle = (outcomes: readonly Outcome[], rows: readonly SimulatedRecord[]): void => {
    claims = outcomes.map((outcome) => ({ outcome, content: contentIn(rows, outcome) }));
    for (const { outcome, content } of claims) accepted.settled(outcome, content);
    checkClaims();
  };
  const checkClaims = (): void => {
    for (const { outcome, content } of claims) {
      const held = heldFor(outcome.key ?? "").map((account) => account.content);
      const holds = isCorrected(outcome)
        ? held.some((each) => accepted.has(outcome.key ?? "", each))
        : !hasPlannedContent(outcome) || held.includes(content);
      check(holds, "I11", `${outcome.key} is ${outcome.status} with "${content}": the platform has "${held.join()}"`);
    }
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
      for (const { key } of records) if (left.includes(hexOf(key))) accepted.interrupted(key);
      durable.sending.clear();
    },
    sending({ revise }) {
      revises = revise;
    },
    revising(key, account) {
      revised.set(key, (revised.get(key) ?? new Set()).add(account));
    },
    restored: () => accepted.restored(),
    drained() {
      isDrained = true;
    },
    recordTaken: (key) => check(!isDrained, "P14", `${key} was taken after the user had stopped the run`),
    requestSent(request) {
      const { key, content } = partsOf(request);
      if (isLogin(request)) return;
      const now = clock.monotonic();
      const isLookup = request.method === "GET" || request.url.pathname === "/v2/data-import/accounts/validate/";
      check(isLookup || durable.sending.has(hexOf(key)), "I2", `${key} was sent before its intent was on disk`);
      check(!isDrained, "P14", `${key} was sent after the user had stopped the run`);
      const early = pauses.until(key) - now;
      check(early <= 0, "P9", `${key} was sent ${early} ms before the end of Retry-After`);
      if (content !== "" && !isLookup) {
        const known = accepted.certain(key) ?? content;
        check(revises || content === known, "I7", `"${content}" was sent for ${key}, accepted with "${known}"`);
        accepted.sent(key, content);
      }
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
    killed: settle,
    checkOutcomes(outcomes, { unsaved, summary, rows }) {
      const numbers = outcomes.map(({ record }) => record);
      const wanted = records.map(({ record }) => record);
      check(String(numbers) === String(wanted), "I1", `outcomes of records ${numbers.join(" ")}`);
      const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
      check(sum === records.length && summary.records === sum, "I5", `the counts add up to ${sum}`);
      for (const outcome of outcomes) {
        const key = outcome.key ?? "";
        const held = heldFor(key);
        const content = contentIn(rows, outcome);
        const isEarlier = held.every((account) => account.content !== content && isReported(key, account.content));
        for (const [holds, invariant, what] of accountRules(outcome, held, unsaved > 0 || isAskedLater || isEarlier)) {
          check(holds, invariant, `${key} is ${outcome.status}: ${what}`);
        }
        const id = hexOf(key);
        if (outcome.status !== "ambiguous") doubted.delete(id);
        else if (!durable.sending.has(id)) doubted.add(id);
        const isKept = hasPlannedContent(outcome) || accepted.certain(key) !== content;
        check(isKept, "I4", `${key} was accepted with "${content}", and is ${outcome.status}`);
      }
      settle(outcomes, rows);
    },
    violations() {
      const doubled =
        operation.dedupesByKey || operation.steps.length > 0 ? "twice on a deduplicating platform" : "twice";
      checkClaims();
      for (const { key } of records) {
        const wanted = 1 + (onRepeat === "create" ? (revised.get(key)?.size ?? 0) : 0);
        check(heldFor(key).length <= wanted, "nothing twice", `${key} was created ${doubled}`);
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

function contentIn(rows: readonly SimulatedRecord[], { record }: Outcome): string {
  const row = rows[record - 1];
  return row === undefined ? "" : contentOf(row);
}

/** The outcome of a record, and the content that its run planned. */
interface Claim {
  readonly outcome: Outcome;
  readonly content: string;
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
