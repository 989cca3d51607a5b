import { type Http, type HttpReply, type HttpRequest, TransportError } from "../../src/transport/http.ts";
import { between, type Dice } from "../seeded-dice.ts";
import { type DrawnResult, drawResult } from "./drawn-results.ts";
import type { SimulatedClock } from "./simulated-clock.ts";
import type { Weather } from "./weather.ts";

export interface HeldAccount {
  readonly key: string;
  readonly number: string;
  readonly content: string;
}

/** A POST request to the data-import API. */
interface Arrival {
  readonly at: number;
  readonly key: string;
  readonly path: string;
  /** False if the request was rejected because of its token. */
  readonly isAuthorised: boolean;
}

/**
 * What the plain import does with a second request for a business key: refuse it, create a second account, or replace
 * the content of the account.
 */
export type OnRepeat = "refuse" | "create" | "update";

export interface PlatformOptions {
  readonly clock: SimulatedClock;
  readonly dice: Dice;
  readonly weather: Weather;
  readonly onRepeat: OnRepeat;
  /** Whether the platform refuses this record, because its data is still wrong. */
  readonly refuses: (key: string, content: string) => boolean;
  readonly note: (event: string) => void;
}

export interface ModelPlatform {
  readonly http: Http;
  readonly accounts: readonly HeldAccount[];
  /** In order of arrival. */
  readonly arrivals: readonly Arrival[];
}

/** Creates a platform in memory with the endpoints of the fixtures' contracts, behind an unreliable network. */
export function createModelPlatform(options: PlatformOptions): ModelPlatform {
  const { clock, dice, weather, onRepeat, note } = options;
  const accounts: HeldAccount[] = [];
  const arrivals: Arrival[] = [];
  const tokens = createTokens(options);
  const app = createApp(options, accounts);
  /** The number of requests per key that have been read but not yet processed. */
  const inProgress = new Map<string, number>();
  const countInProgress = (key: string, by: number): void => void inProgress.set(key, (inProgress.get(key) ?? 0) + by);

  const arrive = (request: HttpRequest): HttpReply => {
    const { key } = partsOf(request);
    const isAuthorised = tokens.isGood(request.headers["authorization"]);
    if (request.method === "POST")
      arrivals.push({ at: clock.monotonic(), key, path: request.url.pathname, isAuthorised });
    note(`arrives ${request.method} ${request.url.pathname} ${key}`);
    if (!isAuthorised) return json(401, { detail: "no", code: "not_authenticated" });
    const isBusy = (inProgress.get(key) ?? 0) > 0 && onRepeat !== "update" && isCreated(request);
    return isBusy ? IN_PROGRESS : app(request);
  };
  const lose = (code: string, phase: "unsent" | "sent", startedAt: number): never => {
    throw new TransportError(phase, code, { code, durationMs: clock.monotonic() - startedAt });
  };

  const exchange = async (request: HttpRequest, drawn: DrawnResult): Promise<HttpReply> => {
    const startedAt = clock.monotonic();
    const reply = (answer: HttpReply): HttpReply => ({ ...answer, durationMs: clock.monotonic() - startedAt });
    if (drawn.kind === "unsent") {
      await clock.sleep(between(dice, 1, 50));
      return lose(drawn.code, "unsent", startedAt);
    }
    if (drawn.kind === "lost") {
      await clock.sleep(drawn.afterMs);
      return lose(drawn.code, "sent", startedAt);
    }
    if (drawn.kind === "unheard") {
      const { key } = partsOf(request);
      countInProgress(key, 1);
      void clock.sleep(drawn.afterMs + drawn.lateMs).then(() => {
        countInProgress(key, -1);
        return arrive(request);
      });
      await clock.sleep(drawn.afterMs + 1);
      return lose(drawn.code, "sent", startedAt);
    }
    await clock.sleep(between(dice, 1, 150));
    const answer = drawn.kind === "page" ? PAGE : answered(request, drawn, arrive);
    if (drawn.kind === "answered") note(`replies ${drawn.status}`);
    await clock.sleep(between(dice, 1, 150));
    return reply(answer);
  };

  const http: Http = async (request) => {
    if (request.url.pathname.endsWith("/graphql/")) {
      await clock.sleep(between(dice, 1, 100));
      return tokens.login();
    }
    const drawn = drawResult(dice, weather, clock.monotonic());
    note(`request for ${partsOf(request).key}: ${drawn.kind}`);
    return Promise.race([exchange(request, drawn), aborted(request.signal, clock)]);
  };
  return { http, accounts, arrivals };
}

/**
 * Returns whether a request creates an account. While such a request is processed, the platform refuses repeats of it.
 */
function isCreated({ url }: HttpRequest): boolean {
  return /process\/$|^\/v1\/data-import\/accounts\/$/.test(url.pathname);
}

const PAGE: HttpReply = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<html>Sign in</html>",
  complete: true,
  durationMs: 0,
};

function answered(request: HttpRequest, drawn: DrawnResult, arrive: (request: HttpRequest) => HttpReply): HttpReply {
  if (drawn.kind === "answered") {
    if (drawn.processed) arrive(request);
    const headers = drawn.retryAfter === undefined ? {} : { "retry-after": drawn.retryAfter };
    return {
      ...json(drawn.status, {}),
      headers,
      complete: drawn.status !== 400,
      body: drawn.status === 400 ? '{"err' : "",
    };
  }
  const whole = arrive(request);
  return drawn.kind === "cut" ? { ...whole, body: whole.body.slice(0, whole.body.length / 2), complete: false } : whole;
}

function aborted(signal: AbortSignal | undefined, clock: SimulatedClock): Promise<never> {
  const startedAt = clock.monotonic();
  return new Promise((_, reject) => {
    const abort = (): void => {
      reject(new TransportError("sent", "stopped", { code: "ABORTED", durationMs: clock.monotonic() - startedAt }));
    };
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

interface Tokens {
  readonly login: () => HttpReply;
  readonly isGood: (header: string | undefined) => boolean;
}

/** Issues tokens, each of which is valid for a random duration. No token is valid while the API key is locked out. */
function createTokens({ clock, dice, weather }: PlatformOptions): Tokens {
  const ends = new Map<string, number>();
  const isLockedOut = (): boolean => weather.at(clock.monotonic()).loggedOut;
  return {
    login() {
      if (isLockedOut()) return json(200, { errors: [{ extensions: { errorCode: "KT-CT-1138" } }] });
      const token = `token-${ends.size + 1}`;
      ends.set(`Token ${token}`, clock.monotonic() + between(dice, 500, 100_000));
      return json(200, { data: { ObtainServiceToken: { token } } });
    },
    isGood: (header = "") => !isLockedOut() && clock.monotonic() < (ends.get(header) ?? 0),
  };
}

type App = (request: HttpRequest) => HttpReply;

function createApp(options: PlatformOptions, accounts: HeldAccount[]): App {
  const { clock, dice, weather, onRepeat, refuses } = options;
  const staged = new Map<string, string>();
  const tasks = new Map<string, { readonly readyAt: number; readonly content: string }>();

  const held = (key: string): HeldAccount | undefined => accounts.find((account) => account.key === key);
  const create = (key: string, content: string): HeldAccount => {
    const account = { key, content, number: `A-${accounts.length + 1}` };
    accounts.push(account);
    return account;
  };
  const update = (account: HeldAccount, content: string): HttpReply => {
    accounts[accounts.indexOf(account)] = { ...account, content };
    return json(201, { external_account_number: account.key, account_number: account.number });
  };
  /** Processes a scheduled record when it is due. The record becomes an account unless it is refused. */
  const work = (key: string): void => {
    const task = tasks.get(key);
    if (task === undefined || clock.monotonic() < task.readyAt || held(key) !== undefined) return;
    if (!refuses(key, task.content)) create(key, task.content);
  };
  const refused = (key: string, content: string): HttpReply | undefined => {
    if (weather.at(clock.monotonic()).closed) return problem("import_supplier_migration_not_ongoing", null);
    return refuses(key, content) ? INVALID : undefined;
  };

  const routes: readonly (readonly [RegExp, (key: string, content: string) => HttpReply])[] = [
    [/\/validate/, (key, content) => refused(key, content) ?? json(200, {})],
    [
      /create-or-update/,
      (key, content) => {
        const no = refused(key, content);
        if (no !== undefined) return no;
        const account = held(key);
        if (account !== undefined) return json(400, { kraken_account_number: account.number });
        staged.set(key, content);
        return json(201, { external_account_number: key, kraken_account_number: null });
      },
    ],
    [
      /process\/$/,
      (key) => {
        if (weather.at(clock.monotonic()).closed) return problem("import_supplier_migration_not_ongoing", null);
        const [account, content] = [held(key), staged.get(key)];
        if (account !== undefined) return json(400, { kraken_account_number: account.number });
        return content === undefined
          ? json(404, { detail: "nothing staged" })
          : json(201, { external_account_number: key, kraken_account_number: create(key, content).number });
      },
    ],
    [
      /^\/v2\/data-import\/accounts\/$/,
      (key, content) => {
        const no = refused(key, content);
        if (no !== undefined) return no;
        work(key);
        const account = held(key);
        if (account !== undefined) {
          return json(400, { code: "account_import_process_already_imported", account_id: account.number });
        }
        if (!tasks.has(key)) tasks.set(key, { content, readyAt: clock.monotonic() + between(dice, 10, 3_000) });
        return json(201, {});
      },
    ],
    [
      /^\/v2\/data-import\/accounts\/./,
      (key) => {
        work(key);
        if (!tasks.has(key)) return json(404, { detail: "Not found." });
        const account = held(key);
        if (account === undefined) return json(200, { status: "PENDING" });
        return json(200, { status: "PROCESSED", kraken_identifier: account.number });
      },
    ],
    [
      /^\/v1\/data-import\/accounts\/$/,
      (key, content) => {
        const no = refused(key, content);
        if (no !== undefined) return no;
        const account = onRepeat === "create" ? undefined : held(key);
        if (account === undefined) {
          return json(201, { external_account_number: key, account_number: create(key, content).number });
        }
        if (onRepeat === "update") return update(account, content);
        const error = { code: "account_already_imported", detail: "", attr: null };
        return json(400, { errors: [error], account_number: account.number });
      },
    ],
  ];
  return (request) => {
    const { key, content } = partsOf(request);
    const route = routes.find(([path]) => path.test(request.url.pathname));
    return route === undefined ? json(404, {}) : route[1](key, content);
  };
}

function json(status: number, body: object): HttpReply {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    complete: true,
    durationMs: 0,
  };
}

const IN_PROGRESS = problem("account_import_in_progress", null);
const INVALID = json(400, {
  code: "account_failed_validation",
  errors: [{ attr: "billing_name", code: "blank", detail: "" }],
});

function problem(code: string, attr: string | null): HttpReply {
  return json(400, { errors: [{ attr, code, detail: "" }] });
}

/** Returns the business key and the content in a request. */
export function partsOf({ url, body }: Pick<HttpRequest, "url" | "body">): {
  readonly key: string;
  readonly content: string;
} {
  if (body === undefined) return { key: url.pathname.split("/").at(-2) ?? "", content: "" };
  const parsed: { readonly payload?: object } = JSON.parse(String(body));
  const { external_account_number: key, billing_name: content }: Record<string, unknown> = {
    ...parsed,
    ...parsed.payload,
  };
  return { key: typeof key === "string" ? key : "", content: typeof content === "string" ? content : "" };
}
