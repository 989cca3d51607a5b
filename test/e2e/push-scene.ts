import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import path from "node:path";
import { stringify } from "csv-stringify/sync";
import {
  type CliEnd,
  type CliOptions,
  projectFile,
  runCli,
  type RunningCli,
  type TestSandbox,
  startCli,
  startTestSandbox,
} from "./cli.ts";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

/** The project's own contract. */
export const CONTRACT: string = projectFile("fixtures/contract/contract.yaml");

/** A mapping that joins customers to accounts, so that problems of a customer are located in the second file. */
const MAPPING = `
operation: import-account
key: external_account_number
sources:
  accounts:  { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF, orderBy: SEQ }
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  account_type: { from: TYPE, lookup: { D: DOMESTIC, B: BUSINESS } }
  billing_name: NAME
  billing_address1: ADDRESS
  billing_postcode: POSTCODE
  customers:
    each: customers
    item: { given_name: FIRST, family_name: LAST, mobile: MOBILE, date_of_birth: DOB }
  supply_addresses:
    - supply_address1: ADDRESS
      supply_postcode: POSTCODE
      meter_points:
        - identifier: MPAN
          supply_type: { value: ELECTRICITY }
          supply_start_date: { value: "2024-01-01" }
`;

/** An overlay that removes deduplication from the contract: a repeated request may create a second account. */
const NO_DEDUPE = `
overlay: 1.0.0
info: { title: A platform that does not notice repeats, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-dedupe']
    remove: true
`;

export interface AccountCells {
  readonly REF: string;
  readonly TYPE?: string;
  readonly NAME?: string;
  readonly ADDRESS?: string;
  readonly POSTCODE?: string;
  readonly MPAN?: string;
}

interface CustomerCells {
  readonly REF: string;
  readonly SEQ?: string;
  readonly FIRST?: string;
  readonly LAST?: string;
  readonly MOBILE?: string;
  readonly DOB?: string;
}

export interface Extract {
  readonly accounts: readonly AccountCells[];
  /** Default: one customer for every account. */
  readonly customers?: readonly CustomerCells[];
}

const GOOD_ACCOUNT = {
  TYPE: "D",
  NAME: "Amina Hughes",
  ADDRESS: "63 Station Road",
  POSTCODE: "DE1 2GU",
  MPAN: "1210000007919",
};
const GOOD_CUSTOMER = { SEQ: "1", FIRST: "Amina", LAST: "Hughes", MOBILE: "07700 900730", DOB: "1947-06-16" };

/** Returns business keys: `EXT-00001`, `EXT-00002`, and so on. */
export function references(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `EXT-${String(index + 1).padStart(5, "0")}`);
}

/** Returns this many valid accounts, with the keys `EXT-00001`, `EXT-00002`, and so on. */
export function goodAccounts(count: number): readonly AccountCells[] {
  return references(count).map((REF) => ({ REF }));
}

export function writeExtract(folder: string, { accounts, customers }: Extract): void {
  const children = customers ?? accounts.map(({ REF }) => ({ REF }));
  writeTable(path.join(folder, "accounts.csv"), GOOD_ACCOUNT, accounts);
  writeTable(path.join(folder, "customers.csv"), GOOD_CUSTOMER, children);
  writeFileSync(path.join(folder, "mapping.yaml"), MAPPING);
  writeFileSync(path.join(folder, "no-dedupe.yaml"), NO_DEDUPE);
}

function writeTable(file: string, good: object, rows: readonly object[]): void {
  const columns = ["REF", ...Object.keys(good)];
  const all = rows.map((cells) => ({ ...good, ...cells }));
  writeFileSync(file, stringify(all, { header: true, columns }));
}

/** The fields of an outcome line that tests use. */
export interface OutcomeLine {
  readonly record: number;
  readonly key?: string;
  readonly source: { readonly file: string; readonly line: number };
  readonly status: string;
  readonly errors?: readonly {
    readonly attr: string;
    readonly code: string;
    readonly by: string;
    readonly source?: {
      readonly file: string;
      readonly line: number;
      readonly column?: string;
      readonly columnNumber?: number;
    };
  }[];
  readonly http?: number;
  readonly attempts?: number;
  readonly account?: string;
}

export function outcomeLines(text: string): readonly OutcomeLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): OutcomeLine => JSON.parse(line));
}

export function statusCounts(lines: readonly OutcomeLine[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of lines) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A request as the platform recorded it. */
export interface SeenRequest {
  readonly request: number;
  /** Time of arrival, ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly key?: string;
  /** The credentials of a token request, and the error code if the platform refused the request. */
  readonly login?: { readonly with: string; readonly refusal?: string };
  readonly status?: number;
  readonly processed: boolean;
}

export interface HeldAccount {
  readonly number: string;
  readonly supplier: string;
  readonly key: string;
}

/** The sandbox's admin endpoints, over HTTPS. */
export interface Admin {
  readonly history: () => Promise<readonly SeenRequest[]>;
  /** Only data-import requests. */
  readonly imports: () => Promise<readonly SeenRequest[]>;
  readonly tokenRequests: () => Promise<readonly SeenRequest[]>;
  readonly accounts: () => Promise<readonly HeldAccount[]>;
  readonly faults: (faults: object) => Promise<void>;
  /** Sets the status of an import supplier. Default: the first supplier. */
  readonly supplier: (status: "Ongoing" | "Paused" | "Complete", code?: string) => Promise<void>;
  readonly reset: () => Promise<void>;
}

export function adminOf(sandbox: Pick<TestSandbox, "ready">): Admin {
  const ask = <T>(method: string, name: string, body?: object): Promise<T> => {
    const { ca, adminUrl, adminToken } = sandbox.ready;
    const headers = { authorization: `Token ${adminToken}` };
    return askJson<T>({ method, url: new URL(name, adminUrl), ca: readFileSync(ca, "utf8"), headers, body });
  };
  const history = (): Promise<readonly SeenRequest[]> => ask("GET", "history");
  const seen = async (part: string): Promise<readonly SeenRequest[]> =>
    (await history()).filter((one) => one.path.includes(part));
  return {
    history,
    imports: () => seen("/data-import/"),
    tokenRequests: () => seen("/graphql/"),
    accounts: () => ask("GET", "accounts"),
    faults: (faults) => ask("POST", "faults", faults),
    supplier: (status, code = sandbox.ready.supplier) => ask("POST", `suppliers/${code}`, { status }),
    reset: () => ask("POST", "reset"),
  };
}

/** Starts a sandbox for all tests in a file, and resets it before each test. */
export function useSandbox(flags: readonly string[] = []): { readonly sandbox: TestSandbox; readonly admin: Admin } {
  let started: TestSandbox | undefined;
  const running = (): TestSandbox => {
    if (started === undefined) throw new Error("the sandbox runs only while tests do");
    return started;
  };
  const sandbox: TestSandbox = {
    get ready() {
      return running().ready;
    },
    get env() {
      return running().env;
    },
    onStderr: (listener) => running().onStderr(listener),
    stop: () => running().stop(),
  };
  const admin = adminOf(sandbox);
  beforeAll(async () => {
    started = await startTestSandbox({ flags });
  });
  afterAll(() => sandbox.stop());
  beforeEach(() => admin.reset());
  return { sandbox, admin };
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly ca: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
}

/** Sends a JSON body over a new connection and returns the JSON reply. Rejects unless the status is 200. */
export function askJson<T>({ method, url, ca, headers, body }: Asked): Promise<T> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, ca, headers, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      reply.on("end", () => {
        if (reply.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${url.pathname}: ${reply.statusCode} ${text}`));
      });
    });
    asking.on("error", reject).end(body && JSON.stringify(body));
  });
}

/** A folder with an extract, and functions that run commands in it. */
export interface Workplace {
  readonly folder: string;
  readonly file: (...names: readonly string[]) => string;
  /** Runs `migrate push accounts.csv` with the contract and the mapping. Outcome lines go to stdout. */
  readonly push: (flags?: readonly string[], options?: CliOptions) => Promise<CliEnd>;
  readonly startPush: (flags?: readonly string[], options?: CliOptions) => RunningCli;
  /** Runs any command in the folder, with the platform's address and key in the environment. */
  readonly migrate: (args: readonly string[], options?: CliOptions) => Promise<CliEnd>;
  readonly start: (args: readonly string[], options?: CliOptions) => RunningCli;
}

const PUSH = ["push", "accounts.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml", "--format", "ndjson"];

/**
 * Writes an extract. `sandbox` provides the address of the platform and the credentials. Without a sandbox, tests pass
 * both as flags.
 */
export function workplace(
  extract: Extract,
  sandbox?: Pick<TestSandbox, "env">,
  folder: string = temporaryFolder(),
): Workplace {
  writeExtract(folder, extract);
  const start = (args: readonly string[], options: CliOptions = {}): RunningCli =>
    startCli(args, { cwd: folder, ...options, env: { ...sandbox?.env, ...options.env } });
  const run = (args: readonly string[], options: CliOptions = {}): Promise<CliEnd> =>
    runCli(args, { cwd: folder, ...options, env: { ...sandbox?.env, ...options.env } });
  const startPush = (flags: readonly string[] = [], options: CliOptions = {}): RunningCli =>
    start([...PUSH, ...flags], options);
  return {
    folder,
    file: (...names) => path.join(folder, ...names),
    start,
    startPush,
    migrate: run,
    push: (flags = [], options = {}) => run([...PUSH, ...flags], options),
  };
}

/** Returns the id of the latest run in the workplace's ledger. */
export async function latestRun({ migrate }: Pick<Workplace, "migrate">): Promise<string> {
  const { stdout } = await migrate(["status", "--format", "json"]);
  const { runs }: { runs: readonly { id: string }[] } = JSON.parse(stdout);
  return runs[0]?.id ?? "";
}
