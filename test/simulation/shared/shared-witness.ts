import { canResolveAmbiguous, type Operation } from "../../../src/contract/operations/operation.ts";
import type { SharedStatus } from "../../../src/ledger/runs/shared-run.ts";
import type { Outcome, Summary } from "../../../src/model/outcome.ts";
import type { HttpRequest } from "../../../src/transport/http.ts";
import { type Violation, isLogin, accountRules } from "../invariants.ts";
import { type ModelPlatform, partsOf } from "../model-platform.ts";
import { hex } from "../killable-ledger.ts";
import { identityOf, type SimulatedRecord } from "../simulated-record.ts";
import type { ModelServer } from "./model-server.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

export interface SharedWitnessOptions {
  readonly platform: Pick<ModelPlatform, "accounts" | "arrivals">;
  readonly server: ModelServer;
  readonly records: readonly SimulatedRecord[];
  readonly operation: Operation;
}

/** Observes all processes and reports violated invariants (docs/reliability.md). */
export interface SharedWitness {
  readonly addViolation: (invariant: string, what: string) => void;
  /** @param stale whether the process was frozen when the request was about to be sent */
  readonly requestSent: (request: HttpRequest, process: SimulatedProcess, stale: boolean) => void;
  /** A planner has ended with these outcomes in its ledger. */
  readonly checkOutcomes: (outcomes: readonly Outcome[], summary: Summary) => void;
  /** A worker has reported that nothing is left to send. */
  readonly checkAllSent: (status: SharedStatus | undefined) => void;
  /** The server's clock was set: leases end at other times than workers expect. */
  readonly clockWasSet: () => void;
  /** An older copy replaced the database. It may lack records that have been accepted since. */
  readonly restored: () => void;
  /** Returns a function that returns false once the database has been restored after this call. */
  readonly restores: () => () => boolean;
  /** A command has refused the ledger. */
  readonly refused: () => void;
  readonly violations: () => readonly Violation[];
  /** Returns the number of requests sent so far, without logins. */
  readonly left: () => number;
}

export function createSharedWitness({ platform, server, records, operation }: SharedWitnessOptions): SharedWitness {
  const violations: Violation[] = [];
  const accepted = new Set<string>();
  const isAskedLater = operation.steps.at(-1)?.poll !== undefined;
  let isClockTrue = true;
  let left = 0;
  let restoreCount = 0;
  /**
   * Restores and refusals, each with the number of accounts at that time. `isReported`: whether a command reported an
   * older copy.
   */
  const changes: { readonly from: number; readonly isReported: boolean }[] = [];

  const addViolation = (invariant: string, what: string): void => void violations.push({ invariant, what });
  const check = (holds: boolean, invariant: string, what: string): void => {
    if (!holds) addViolation(invariant, what);
  };
  const intentsFor = (key: string): number => server.tables.intentsOf(hex(identityOf(key, operation)));

  return {
    addViolation,
    requestSent(request, { pid }, stale) {
      if (isLogin(request)) return;
      left += 1;
      const { key } = partsOf(request);
      const isLookup = request.method === "GET" || request.url.pathname === "/v2/data-import/accounts/validate/";
      check(isLookup || intentsFor(key) > 0, "I2", `${key} was sent before its intent was on disk`);
      if (stale || !isClockTrue) return;
      const own = server.workers().filter((worker) => worker.pid === pid);
      const isInTime = own.some(({ seen, run }) => server.now() - seen <= (server.leaseMs(run) ?? 0));
      check(own.length === 0 || isInTime, "lease", `${key} was sent by process ${pid}, whose lease had expired`);
    },
    checkOutcomes(outcomes, summary) {
      const wanted = records.map(({ record }) => record);
      check(String(outcomes.map(({ record }) => record)) === String(wanted), "I1", "a record is missing");
      const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
      check(sum === records.length && summary.records === sum, "I5", `the counts add up to ${sum}`);
      for (const outcome of outcomes) {
        const key = outcome.key ?? "";
        const held = platform.accounts.filter((account) => account.key === key);
        for (const [holds, invariant, what] of accountRules(outcome, held, isAskedLater)) {
          check(holds, invariant, `${key} is ${outcome.status}: ${what}`);
        }
        const isAccepted = outcome.status === "accepted" || outcome.status === "skipped";
        check(isAccepted || !accepted.has(key), "I4", `${key} was accepted, and is ${outcome.status}`);
        if (isAccepted) accepted.add(key);
      }
    },
    checkAllSent(status) {
      const { waiting = 0, taken = 0 } = status?.ranges ?? {};
      check(waiting + taken === 0, "all sent", `${waiting + taken} ranges were not done`);
    },
    clockWasSet() {
      isClockTrue = false;
    },
    restored() {
      accepted.clear();
      isClockTrue = false;
      restoreCount += 1;
      changes.push({ from: platform.accounts.length, isReported: false });
    },
    restores() {
      const before = restoreCount;
      return () => before === restoreCount;
    },
    refused() {
      changes.push({ from: platform.accounts.length, isReported: true });
    },
    left: () => left,
    violations() {
      const keys = platform.accounts.map(({ key }) => key);
      for (const [index, key] of keys.entries()) {
        if (keys.indexOf(key) === index) continue;
        const doubled = canResolveAmbiguous(operation) ? "twice although the platform can be queried" : "twice";
        const isReported = changes.findLast(({ from }) => from <= index)?.isReported === true;
        addViolation(isReported ? "nothing twice after a warning" : "nothing twice", `${key} was created ${doubled}`);
      }
      for (const { key } of records) {
        const seen = platform.arrivals.filter(
          (arrival) => arrival.key === key && arrival.isAuthorised && !arrival.path.includes("/validate/"),
        );
        check(
          seen.length <= 2 * intentsFor(key),
          "I6",
          `${seen.length} requests for ${key}, ${intentsFor(key)} intents`,
        );
      }
      return violations;
    },
  };
}
