import {
  type Action,
  after,
  type ChaosServer,
  closeSilently,
  raw,
  rawThenEnd,
  rawThenReset,
  reply,
  resetSilently,
  type SeenRequest,
  startChaosServer,
} from "../chaos-server.ts";
import type { HeldAccount, SeenRequest as SeenImport } from "../e2e/push-scene.ts";
import { between, type Dice, pickWeighted } from "../seeded-dice.ts";

/** A platform that deduplicates, injects seeded random faults, and records its own history. */
export interface ChaosPlatform {
  readonly server: ChaosServer;
  readonly imports: () => Promise<readonly SeenImport[]>;
  readonly accounts: () => Promise<readonly HeldAccount[]>;
  /** Accounts created so far. */
  readonly created: () => number;
  readonly refused: () => number;
}

export interface ChaosPlatformOptions {
  readonly dice: Dice;
  /** Requests per second before throttling starts. A burst may use up the requests of one second. */
  readonly perSecond: number;
  /** Whether unthrottled requests may fail. Default: true. */
  readonly injectsFaults?: boolean;
}

export async function startChaosPlatform({
  dice,
  perSecond,
  injectsFaults = true,
}: ChaosPlatformOptions): Promise<ChaosPlatform> {
  const accounts = new Map<string, string>();
  const history: SeenImport[] = [];
  const bucket = createBucket(perSecond);
  let refused = 0;

  const process = (key: string): Action => {
    const known = accounts.get(key);
    const number = known ?? `A-${accounts.size + 1}`;
    accounts.set(key, number);
    if (known === undefined) return reply(201, { external_account_number: key, account_number: number });
    const error = { attr: null, code: "account_already_imported", detail: "" };
    return reply(400, { errors: [error], account_number: number });
  };
  const act = (request: SeenRequest): Action => {
    const key = /"external_account_number":"([^"]*)"/.exec(request.body)?.[1] ?? "";
    const isThrough = bucket.take();
    if (!isThrough) refused += 1;
    const seen = { request: request.number, at: new Date().toISOString(), method: request.method, path: request.path };
    const before = accounts.size;
    const action = isThrough ? drawAction(injectsFaults ? dice : () => 0, () => process(key)) : throttled(dice);
    history.push({ ...seen, key, processed: accounts.size > before });
    return action;
  };
  const server = await startChaosServer(act, { recordsRequests: false });
  return {
    server,
    imports: () => Promise.resolve(history),
    accounts: () => Promise.resolve([...accounts].map(([key, number]) => ({ key, number, supplier: "SOAK" }))),
    created: () => accounts.size,
    refused: () => refused,
  };
}

const GOOD = 94;

/** Chooses a random reply or fault for an unthrottled request. */
function drawAction(dice: Dice, process: () => Action): Action {
  const half = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"acc';
  const draw = pickWeighted<(good: () => Action) => Action>(dice, [
    [GOOD, (good) => after(between(dice, 1, 60), good())],
    [0.6, () => resetSilently],
    [0.6, () => closeSilently],
    [0.6, (good) => (void good(), resetSilently)],
    [0.6, (good) => (void good(), closeSilently)],
    [0.6, (good) => (void good(), rawThenEnd("HTTP/1.1 20"))],
    [0.6, (good) => (void good(), rawThenEnd(half))],
    [0.3, (good) => (void good(), rawThenReset(half))],
    [0.3, (good) => (void good(), raw("220 mail ESMTP\r\n\r\n"))],
    [0.3, (good) => (void good(), raw("HTTP/1.1 100 Continue\r\n\r\n"))],
    [0.5, () => reply(pickWeighted(dice, ERRORS), "")],
    [0.5, (good) => (void good(), reply(pickWeighted(dice, ERRORS), ""))],
    [0.3, () => reply(pickWeighted(dice, NOT_PROCESSED), "")],
    [0.2, (good) => after(between(dice, 1_000, 3_000), good())],
  ]);
  return draw(process);
}

const ERRORS: readonly (readonly [number, number])[] = [
  [2, 500],
  [1, 502],
  [1, 504],
];
const NOT_PROCESSED: readonly (readonly [number, number])[] = [
  [1, 408],
  [1, 425],
];

function throttled(dice: Dice): Action {
  return reply(429, "", dice() < 0.5 ? { "retry-after": 1 } : {});
}

function createBucket(perSecond: number): { readonly take: () => boolean } {
  let left = perSecond;
  let at = performance.now();
  return {
    take() {
      const now = performance.now();
      left = Math.min(perSecond, left + ((now - at) / 1000) * perSecond);
      at = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
