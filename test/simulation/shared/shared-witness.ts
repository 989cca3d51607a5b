import { canResolveAmbiguous, type Operation } from "../../../src/contract/operations/operation.ts";
import type { Outcome, Summary } from "../../../src/model/outcome.ts";
import type { HttpRequest } from "../../../src/transport/http.ts";
import { type Complaint, isLogin, judged } from "../invariants.ts";
import { type ModelPlatform, partsOf } from "../model-platform.ts";
import { hex } from "../mortal-ledger.ts";
import { identityOf, type SimulatedRecord } from "../simulated-record.ts";
import type { ModelServer } from "./model-server.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

export interface SharedWitnessOptions {
  readonly platform: Pick<ModelPlatform, "accounts" | "arrivals">;
  readonly server: ModelServer;
  readonly records: readonly SimulatedRecord[];
  readonly operation: Operation;
}

/** Sees what all processes do, and says what must not be (docs/reliability.md). */
export interface SharedWitness {
  readonly complain: (invariant: string, what: string) => void;
  /** @param stale the process stood still in the moment in which the request was to leave */
  readonly leaves: (request: HttpRequest, process: SimulatedProcess, stale: boolean) => void;
  /** A planner has ended, and this is what its ledger says. */
  readonly hear: (outcomes: readonly Outcome[], summary: Summary) => void;
  /** The clock of the server was set: leases end at other times than workers expect. */
  readonly clockWasSet: () => void;
  /** An older copy is in the place of the database, which need not know what was accepted since. */
  readonly restored: () => void;
  /** Gives whether the database is still the one that it is now. */
  readonly restores: () => () => boolean;
  /** A command has refused the ledger. */
  readonly refused: () => void;
  readonly complaints: () => readonly Complaint[];
  /** Requests that have left so far. */
  readonly left: () => number;
}

export function createSharedWitness({ platform, server, records, operation }: SharedWitnessOptions): SharedWitness {
  const complaints: Complaint[] = [];
  const accepted = new Set<string>();
  const isAskedLater = operation.steps.at(-1)?.poll !== undefined;
  let isClockTrue = true;
  let left = 0;
  let restoreCount = 0;
  /** From which account on, of those on the platform, somebody was told that the database is an older copy, or was not. */
  const told: { readonly from: number; readonly isTold: boolean }[] = [];

  const complain = (invariant: string, what: string): void => void complaints.push({ invariant, what });
  const demand = (holds: boolean, invariant: string, what: string): void => {
    if (!holds) complain(invariant, what);
  };
  const intentsFor = (key: string): number => server.tables.intentsOf(hex(identityOf(key, operation)));

  return {
    complain,
    leaves(request, { pid }, stale) {
      if (isLogin(request)) return;
      left += 1;
      const { key } = partsOf(request);
      const isLookup = request.method === "GET" || request.url.pathname === "/v2/data-import/accounts/validate/";
      demand(isLookup || intentsFor(key) > 0, "I2", `${key} left before its intent was on disk`);
      if (stale || !isClockTrue) return;
      const own = server.workers().filter((worker) => worker.pid === pid);
      const isInTime = own.some(({ seen, run }) => server.now() - seen <= (server.leaseMs(run) ?? 0));
      demand(own.length === 0 || isInTime, "lease", `${key} left from process ${pid}, whose lease was over`);
    },
    hear(outcomes, summary) {
      const wanted = records.map(({ record }) => record);
      demand(String(outcomes.map(({ record }) => record)) === String(wanted), "I1", "a record is missing");
      const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
      demand(sum === records.length && summary.records === sum, "I5", `the counts add up to ${sum}`);
      for (const outcome of outcomes) {
        const key = outcome.key ?? "";
        const held = platform.accounts.filter((account) => account.key === key);
        for (const [holds, invariant, what] of judged(outcome, held, isAskedLater)) {
          demand(holds, invariant, `${key} is ${outcome.status}: ${what}`);
        }
        const isAccepted = outcome.status === "accepted" || outcome.status === "skipped";
        demand(isAccepted || !accepted.has(key), "I4", `${key} was accepted, and is ${outcome.status}`);
        if (isAccepted) accepted.add(key);
      }
    },
    clockWasSet() {
      isClockTrue = false;
    },
    restored() {
      accepted.clear();
      isClockTrue = false;
      restoreCount += 1;
      told.push({ from: platform.accounts.length, isTold: false });
    },
    restores() {
      const before = restoreCount;
      return () => before === restoreCount;
    },
    refused() {
      told.push({ from: platform.accounts.length, isTold: true });
    },
    left: () => left,
    complaints() {
      const keys = platform.accounts.map(({ key }) => key);
      for (const [index, key] of keys.entries()) {
        if (keys.indexOf(key) === index) continue;
        const doubled = canResolveAmbiguous(operation) ? "twice on a platform that can be asked" : "twice";
        const isTold = told.findLast(({ from }) => from <= index)?.isTold === true;
        complain(isTold ? "nothing twice once told" : "nothing twice", `${key} was created ${doubled}`);
      }
      for (const { key } of records) {
        const seen = platform.arrivals.filter(
          (arrival) => arrival.key === key && arrival.isLetIn && !arrival.path.includes("/validate/"),
        );
        demand(
          seen.length <= 2 * intentsFor(key),
          "I6",
          `${seen.length} requests for ${key}, ${intentsFor(key)} intents`,
        );
      }
      return complaints;
    },
  };
}
