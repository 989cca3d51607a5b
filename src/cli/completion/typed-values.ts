import { homedir } from "node:os";
import { pathsFrom, readStoredContract } from "../../job/contract-files.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { readRunLedger } from "../../pipeline/run/run-ledger.ts";
import { contractCache } from "../../runtime/installation.ts";
import type { Config } from "../settings/config-schema.ts";
import { readConfig } from "../settings/config-file.ts";
import { readLedgerSettings } from "../settings/settings.ts";
import type { Candidate, TypedWords } from "./complete-words.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { AUTH_SCHEMES } from "../../options/option-row.ts";
import { ERROR_STATUSES } from "../options/option-parsers.ts";

/** Data for looking up values that have no fixed list of choices. */
export interface ValueSources {
  readonly typed: TypedWords;
  /** Returns the value of an option that was not typed, from the option's environment variable. */
  readonly variable: (option: string) => string | undefined;
  /** The part of the value that has already been typed. */
  readonly prefix: string;
}

/** Lookup functions by the name of the option or argument. */
const FINDERS: Readonly<Record<string, (sources: ValueSources) => Promise<readonly Candidate[]>>> = {
  target: targets,
  operation: operations,
  run: runs,
  key: keys,
  keys,
  only: keys,
  accept: keys,
  resend: keys,
  auth: () => listed(AUTH_SCHEMES),
  errorStatus: () => listed(ERROR_STATUSES),
};

async function listed(values: readonly (string | number)[]): Promise<readonly Candidate[]> {
  return values.map((value) => ({ value: String(value) }));
}

/** Returns the possible values of an option or argument, from the configuration, the contract cache and the ledger. */
export async function typedValues(name: string, sources: ValueSources): Promise<readonly Candidate[]> {
  return (await FINDERS[name]?.(sources)) ?? [];
}

function given(option: string, { typed, variable }: ValueSources): string | undefined {
  return typed.options.get(option)?.at(-1) ?? variable(option);
}

function configOf(sources: ValueSources): Promise<Config> {
  return readConfig(given("config", sources), process.cwd());
}

async function targets(sources: ValueSources): Promise<readonly Candidate[]> {
  const { targets: known = {} } = await configOf(sources);
  return Object.entries(known).map(([value, { baseUrl }]) => ({ value, description: baseUrl }));
}

/** Completes operations only from a cached contract, because compiling a contract takes too long for completion. */
async function operations(sources: ValueSources): Promise<readonly Candidate[]> {
  const config = await configOf(sources);
  const { commands, options, positional } = sources.typed;
  const one = sources.variable("contract");
  const typed = commands[0] === "contract" ? positional : (options.get("contract") ?? (one === undefined ? [] : [one]));
  const files = typed.length > 0 ? typed : (config.contract ?? []);
  const cache = contractCache({ env: process.env, platform: process.platform, home: homedir() });
  const settings = commands[0] === "contract" && commands[1] !== "check" ? undefined : config.rules;
  const contract = await readStoredContract(files.map(pathsFrom(process.cwd())), cache, settings);
  // Replaces spaces in the name of an operation with hyphens, because the user would have to quote a name with spaces.
  return (contract?.operations ?? []).map(({ id, summary, method, path }) => ({
    value: id.replaceAll(/\s+/g, "-"),
    description: summary ?? `${method} ${path}`,
  }));
}

async function runs(sources: ValueSources): Promise<readonly Candidate[]> {
  return askLedger(sources, async (ledger) =>
    (await ledger.runs()).slice(0, MAX_RUNS).map(({ id, target, startedAt }) => ({
      value: id,
      description: [startedAt, target].join(" "),
    })),
  );
}

const MAX_RUNS = 50;
const MAX_KEYS = 100;
const MAX_SCANNED_ENTRIES = 20_000;

/** Returns the keys of the given or latest run, in record order. After a comma, completes the next key of a list. */
async function keys(sources: ValueSources): Promise<readonly Candidate[]> {
  const [, before = "", prefix = ""] = /^(.*,)?(.*)$/s.exec(sources.prefix) ?? [];
  return askLedger(sources, async (ledger) => {
    const run = await ledger.findRun(given("run", sources));
    const found = new Set<string>();
    let looked = 0;
    if (run === undefined) return [];
    for await (const batch of ledger.outcomes(run.id)) {
      for (const { key } of batch)
        if (key?.startsWith(prefix) === true && found.size < MAX_KEYS) found.add(before + key);
      looked += batch.length;
      if (found.size >= MAX_KEYS || looked >= MAX_SCANNED_ENTRIES) break;
    }
    return [...found].map((value) => ({ value }));
  });
}

/** Queries the ledger without a lock, because another process may be writing to it. */
async function askLedger(
  sources: ValueSources,
  ask: (ledger: Ledger) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const flags = definedMembers({ config: given("config", sources), ledger: given("ledger", sources) });
  const settings = await readLedgerSettings(flags, process.cwd());
  return readRunLedger(await openLedgerStore(settings.ledger), ask);
}
