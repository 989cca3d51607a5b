import type { PaceSettings, TargetSettings } from "../run/connection.ts";
import type { JobSettings } from "../run/job.ts";
import type { Tolerance } from "../run/plan-records.ts";
import { Failure } from "../model/failure.ts";
import type { Config, Target } from "./config-file.ts";
import { readConfig } from "./config-file.ts";
import type { Flags } from "./flags.ts";

/** What the flags, the environment and the configuration file mean together. Nobody below reads any of the three. */
export interface Settings {
  readonly job: JobSettings;
  readonly out: string | undefined;
  readonly ledger: string;
  readonly showValues: boolean;
  readonly allowEmpty: boolean;
  readonly maxErrors: Tolerance | undefined;
  readonly dryRun: boolean;
  readonly revise: boolean;
  readonly yes: boolean;
  readonly pace: PaceSettings;
  readonly target: TargetSettings | undefined;
}

const DEFAULT_LEDGER = ".migrate/ledger.db";
const DEFAULT_MOST_IN_FLIGHT = 16;

/**
 * Flags (and environment, which the parser has put behind them) beat the configuration file, which beats defaults.
 * @throws Failure `config` or `usage`
 */
export async function readSettings(sources: readonly string[], flags: Flags, folder: string): Promise<Settings> {
  const config = await readConfig(flags.config, folder);
  const target = targetOf(flags, config);
  const maxErrors = flags.maxErrors === undefined ? undefined : toleranceOf(flags.maxErrors);
  return Object.freeze({
    job: jobSettings(sources, { flags, config, target, folder }),
    out: flags.out ?? config.out,
    ledger: localLedger(flags.ledger ?? config.ledger ?? DEFAULT_LEDGER),
    maxErrors,
    showValues: flags.showValues ?? false,
    allowEmpty: flags.allowEmpty ?? false,
    dryRun: flags.dryRun ?? false,
    revise: flags.revise ?? false,
    yes: flags.yes ?? false,
    pace: paceSettings(flags, target),
    target: target && targetSettings(target, flags),
  });
}

/** What the commands need that look into the ledger only. */
export async function readLedgerSettings(flags: Flags, folder: string): Promise<Pick<Settings, "ledger" | "out">> {
  const config = await readConfig(flags.config, folder);
  return { ledger: localLedger(flags.ledger ?? config.ledger ?? DEFAULT_LEDGER), out: flags.out ?? config.out };
}

interface NamedTarget extends Target {
  readonly name: string | undefined;
}

function targetOf(flags: Flags, config: Config): NamedTarget | undefined {
  const name = flags.target ?? (flags.baseUrl === undefined ? config.target : undefined);
  const named = name === undefined ? undefined : config.targets?.[name];
  if (name !== undefined && named === undefined) throw unknownTarget(name, config);
  const baseUrl = flags.baseUrl ?? named?.baseUrl;
  return baseUrl === undefined ? undefined : { ...named, name, baseUrl, ca: flags.ca ?? named?.ca };
}

function unknownTarget(name: string, config: Config): Failure {
  const known = Object.keys(config.targets ?? {});
  return new Failure("config", `there is no target "${name}"`, {
    hint: `targets in the configuration file: ${known.join(", ") || "none"}`,
  });
}

function paceSettings(flags: Flags, target: NamedTarget | undefined): PaceSettings {
  return {
    concurrency: flags.concurrency ?? "auto",
    maxConcurrency: target?.maxConcurrency ?? DEFAULT_MOST_IN_FLIGHT,
    rps: flags.rps ?? target?.rps,
  };
}

function targetSettings({ baseUrl, name, ca, environment, auth }: NamedTarget, flags: Flags): TargetSettings {
  return {
    baseUrl,
    name,
    ca,
    allowInsecureLoopback: flags.allowInsecureLoopback ?? false,
    production: environment === "production",
    auth: auth ?? {},
  };
}

interface Origins {
  readonly flags: Flags;
  readonly config: Config;
  readonly target: NamedTarget | undefined;
  readonly folder: string;
}

function jobSettings(sources: readonly string[], { flags, config, target, folder }: Origins): JobSettings {
  return {
    folder,
    sources,
    namedSources: namedSources(flags.source ?? []),
    contract: flags.contract ?? contractFiles(config),
    operation: flags.operation ?? config.operation,
    mapping: flags.mapping ?? config.mapping,
    supplier: flags.supplier ?? target?.supplier ?? config.supplier,
    documentRoot: config.documentRoot,
    encoding: flags.encoding ?? config.encoding,
    delimiter: flags.delimiter ?? config.delimiter,
    limit: flags.limit,
    only: flags.only,
  };
}

/** The contract's files, for the commands that need no more than that. */
export function contractFiles(config: Config): readonly string[] {
  if (config.contract === undefined) return [];
  return typeof config.contract === "string" ? [config.contract] : config.contract;
}

function namedSources(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const named = new Map<string, readonly string[]>();
  for (const entry of given) {
    const [, name, file] = /^([^=]+)=(.+)$/s.exec(entry) ?? [];
    if (name === undefined || file === undefined) {
      throw new Failure("usage", `--source ${entry}: <name>=<path> is expected`, {
        hint: "for example --source customers=customers.csv",
      });
    }
    named.set(name, [...(named.get(name) ?? []), file]);
  }
  return Object.fromEntries(named);
}

function toleranceOf(text: string): Tolerance {
  const value = Number.parseInt(text, 10);
  return text.endsWith("%") ? { share: value / 100 } : { count: value };
}

function localLedger(ledger: string): string {
  if (!ledger.includes("://")) return ledger;
  throw new Failure("config", "the ledger is an address, and not a file", {
    hint: "name a file: --ledger path/to/ledger.db; this version keeps ledgers in SQLite files only",
  });
}
