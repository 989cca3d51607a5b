import type { Operation } from "../../src/contract/operations/operation.ts";
import type { Clock } from "../../src/time/clock.ts";
import type { Outcome, Summary } from "../../src/model/outcome.ts";
import { retryAfterMs } from "../../src/transport/retry-delay.ts";
import type { HttpReply, HttpRequest } from "../../src/transport/http.ts";
import { type HeldAccount, type ModelPlatform, partsOf } from "./model-platform.ts";
import { type Durable, hex } from "./mortal-ledger.ts";
import { identityOf, type SimulatedRecord } from "./simulated-record.ts";

/** An invariant that does not hold, by its name (docs/reliability.md). */
export interface Complaint {
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

/** Sees everything, and says what must not be. */
export interface Witness {
  readonly durable: Durable;
  readonly complain: (invariant: string, what: string) => void;
  /** A process begins. */
  readonly begin: () => void;
  /** An older ledger is in the place of the ledger, which need not know what was accepted since. */
  readonly restored: () => void;
  /** Its user has asked it to stop. */
  readonly drained: () => void;
  /** A record is taken up, to be sent as soon as there is a token. */
  readonly takenUp: (key: string) => void;
  readonly leaves: (request: HttpRequest) => void;
  /** With a reply, or without one. */
  readonly over: (request: HttpRequest, reply: HttpReply | undefined) => void;
  /** A process has ended, and this is what its ledger says. */
  readonly hear: (outcomes: readonly Outcome[], more: { readonly unsaved: number; readonly summary: Summary }) => void;
  readonly complaints: () => readonly Complaint[];
}

const CEILING = 16;
/**
 * So many refusals may be known not to depend on the rate, as long as no more than this share of the requests is refused:
 * the 40 % of decision 10, and what few answers may lie above it before that is sure.
 */
const REFUSALS_OF_NOISE = 3;
const MOST_NOISE = 0.6;

/** What Retry-After asks of a process: to hold all its requests, and the refused record alone once refusals may be noise. */
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
      const mayBeNoise = refused >= REFUSALS_OF_NOISE && refused <= MOST_NOISE * answered;
      return mayBeNoise ? (ofRecord.get(key) ?? 0) : ofAll;
    },
  };
}

export function createWitness(options: WitnessOptions): Witness {
  const { platform, records, operation, concurrency, clock } = options;
  const complaints: Complaint[] = [];
  const durable: Durable = { sending: new Map(), intents: new Map(), ambiguous: new Set() };
  const accepted = new Map<string, string | undefined>();
  /** By identity: in doubt for a while, whatever a kill adds to them. */
  const doubted = new Set<string>();
  const most = concurrency === "auto" ? CEILING : concurrency;
  const isAskedLater = operation.steps.at(-1)?.poll !== undefined;
  let isDrained = false;
  let pauses = createPauses();
  let underWay = 0;

  const complain = (invariant: string, what: string): void => void complaints.push({ invariant, what });
  const demand = (holds: boolean, invariant: string, what: string): void => {
    if (!holds) complain(invariant, what);
  };
  const hexOf = (key: string): string => hex(identityOf(key, operation));

  return {
    durable,
    complain,
    begin() {
      isDrained = false;
      pauses = createPauses();
      underWay = 0;
      const left = [...durable.sending].filter(([, { harmless }]) => !harmless).map(([id]) => id);
      const inDoubt = left.filter((id) => !doubted.has(id) && !durable.ambiguous.has(id)).length;
      demand(inDoubt <= 4 * most, "P5", `${inDoubt} records in doubt after one kill`);
      for (const id of left) doubted.add(id);
      durable.sending.clear();
    },
    restored: () => accepted.clear(),
    drained() {
      isDrained = true;
    },
    takenUp: (key) => demand(!isDrained, "P14", `${key} was taken up after the user had asked to stop`),
    leaves(request) {
      const { key } = partsOf(request);
      if (isLogin(request)) return;
      const now = clock.monotonic();
      const isLookup = request.method === "GET" || request.url.pathname === "/v2/data-import/accounts/validate/";
      demand(isLookup || durable.sending.has(hexOf(key)), "I2", `${key} left before its intent was on disk`);
      demand(!isDrained, "P14", `${key} left after the user had asked to stop`);
      const early = pauses.until(key) - now;
      demand(early <= 0, "P9", `${key} left ${early} ms before Retry-After was over`);
      underWay += 1;
      demand(underWay <= most, "concurrency", `${underWay} in flight, ${most} allowed`);
    },
    over(request, reply) {
      if (isLogin(request)) return;
      underWay -= 1;
      const isRefused = reply?.status === 429 || reply?.status === 503;
      const wait = isRefused ? retryAfterMs(reply, clock.now()) : undefined;
      // The cap of one step of several, which says nothing about the others.
      if (reply?.status === 429 && wait === undefined && operation.steps.length > 1) return;
      pauses.over(partsOf(request).key, { isRefused, until: clock.monotonic() + (wait ?? 0) });
    },
    hear(outcomes, { unsaved, summary }) {
      const numbers = outcomes.map(({ record }) => record);
      const wanted = records.map(({ record }) => record);
      demand(String(numbers) === String(wanted), "I1", `outcomes of records ${numbers.join(" ")}`);
      const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
      demand(sum === records.length && summary.records === sum, "I5", `the counts add up to ${sum}`);
      for (const outcome of outcomes) {
        const key = outcome.key ?? "";
        const held = platform.accounts.filter((account) => account.key === key);
        for (const [holds, invariant, what] of judged(outcome, held, unsaved > 0 || isAskedLater)) {
          demand(holds, invariant, `${key} is ${outcome.status}: ${what}`);
        }
        const id = hexOf(key);
        if (outcome.status !== "ambiguous") doubted.delete(id);
        else if (!durable.sending.has(id)) doubted.add(id);
        const isAccepted = outcome.status === "accepted" || outcome.status === "skipped";
        demand(isAccepted || !accepted.has(key), "I4", `${key} was accepted, and is ${outcome.status}`);
        if (isAccepted) accepted.set(key, outcome.account);
      }
    },
    complaints() {
      const doubled = operation.dedupesByKey || operation.steps.length > 0 ? "twice on a deduping platform" : "twice";
      const keys = platform.accounts.map(({ key }) => key);
      for (const key of new Set(keys.filter((one, index) => keys.indexOf(one) !== index))) {
        complain("nothing twice", `${key} was created ${doubled}`);
      }
      for (const { key } of records) {
        const seen = platform.arrivals.filter((arrival) => arrival.key === key && !arrival.path.includes("/validate/"));
        const intended = durable.intents.get(hexOf(key)) ?? 0;
        demand(seen.length <= 2 * intended, "I6", `${seen.length} requests for ${key}, ${intended} intents`);
      }
      return complaints;
    },
  };
}

export function isLogin({ url }: HttpRequest): boolean {
  return url.pathname.endsWith("/graphql/");
}

type Rule = readonly [holds: boolean, invariant: string, what: string];

/** @param mayWait the ledger may say that the record is still to be settled, though the platform holds it */
export function judged(outcome: Outcome, held: readonly HeldAccount[], mayWait: boolean): readonly Rule[] {
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
    [isAccepted || status === "ambiguous" || held.length === 0 || mayWait, "nothing lost", "the account exists"],
  ];
}
