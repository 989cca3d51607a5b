import type { AttrPath } from "../../json/attr.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { TransportSettings } from "../../job/dependencies.ts";
import type { NamingPlace } from "../../job/settings/naming-place.ts";
import { DEFAULT_PACE, type RateLimitSettings, type TargetSettings } from "../../job/settings/platform-settings.ts";
import type { WorkerSettings } from "../../job/settings/recorded-settings.ts";
import { bucketsExcept, type Supplier, type SupplierSettings } from "../../job/settings/supplier-settings.ts";
import { DEFAULT_LEDGER, requireLedgerLocator } from "../../ledger/open-ledger-store.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import type { OwnerRule } from "../../model/owner.ts";
import { JOB } from "../../options/job-options.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { RUN, type RunValues } from "../../options/run-options.ts";
import type { OptionRow } from "../../options/option-row.ts";
import { recordedValues } from "../../options/option-values.ts";
import { PLATFORMS, TARGET } from "../../options/target-options.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { flagsAsTyped } from "../options/option-table.ts";
import type { Flags } from "../options/options.ts";
import { readConfig } from "./config-file.ts";
import type { Config, TargetConfig } from "./config-schema.ts";

interface CommonSettings {
  readonly configFile: string | undefined;
  readonly placeOf: NamingPlace | undefined;
  readonly ledger: string;
  /** Whether rejects are also written to a workbook. */
  readonly workbook: boolean;
  readonly inventory: Inventory | undefined;
  readonly owners: readonly OwnerRule[] | undefined;
}

/** The settings from flags, the environment and the configuration file. No lower layer reads the flags or the file. */
export interface Settings extends RunValues, CommonSettings {
  readonly job: JobSettings;
  readonly showValues: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly pace: RateLimitSettings;
  readonly workers: WorkerSettings | undefined;
  readonly target: TargetSettings | undefined;
  /** The configuration of the job's import supplier. */
  readonly supplier: Supplier;
}

/**
 * Reads the settings. Flags override environment variables, which override the configuration file, which overrides
 * defaults. The parser has already merged the environment into the flags.
 * @throws Failure `config` or `usage`
 */
export async function readSettings(sources: readonly string[], flags: Flags, folder: string): Promise<Settings> {
  return settingsOf(await readConfig(flags.config, folder), { sources, flags, folder });
}

/** Returns the settings for a configuration that has already been read. */
export function settingsOf(
  config: Config,
  { sources, flags, folder }: { readonly sources: readonly string[]; readonly flags: Flags; readonly folder: string },
): Settings {
  const target = targetOf(flags, config);
  const supplier = supplierOf(flags, config, target);
  const given = { threads: "auto" as const, ...config, ...flags };
  const { showValues = false, dryRun = false, yes = false } = flags;
  return {
    ...recordedValues(RUN, given),
    job: {
      ...recordedValues(JOB, given),
      folder,
      config: flags.config,
      configFile: config.file,
      contract: given.contract ?? [],
      sources,
      namedSources: namedSources(flags.source ?? []),
      supplier: supplier.code,
      documentRoots: rootsOf(config, target),
    },
    ...commonSettings(config, flags),
    supplier,
    showValues,
    dryRun,
    yes,
    pace: rateLimitSettings(flags, target),
    workers: workerSettings(flags),
    target: target && targetSettings(target, flags),
  };
}

/** @param flags `format` is the format of stdout, if the command has this option */
function commonSettings(config: Config, flags: Flags & { readonly format?: string }): CommonSettings {
  const { file: configFile, placeOf, inventory, owners } = config;
  const ledger = requireLedgerLocator(namedLedger(flags) ?? config.ledger ?? DEFAULT_LEDGER);
  if (flags.testLocations === true && flags.format !== "junit") {
    throw new Failure("usage", "--test-locations needs --format junit", { hint: "other formats have no test cases" });
  }
  return { configFile, placeOf, ledger, workbook: flags.format === "xlsx", inventory, owners };
}

/**
 * Adds `./` to the default ledger if the user named it. Otherwise, `ledgerFlag` would omit it, although the
 * configuration may name another ledger.
 */
function namedLedger({ ledger }: Flags): string | undefined {
  return ledger === DEFAULT_LEDGER ? `./${DEFAULT_LEDGER}` : ledger;
}

export interface LedgerSettings extends CommonSettings {
  /** The folder in which the user started the command. */
  readonly folder: string;
  readonly out: string | undefined;
  /** The code of the import supplier. */
  readonly supplier: string | undefined;
  /** The settings that override the recorded connection to the platform of the run. */
  readonly transport: TransportSettings;
}

/** Returns the settings for commands that read a run from the ledger. All other settings are recorded with the run. */
export async function readLedgerSettings(flags: Flags, folder: string): Promise<LedgerSettings> {
  const config = await readConfig(flags.config, folder);
  return {
    ...commonSettings(config, flags),
    folder,
    out: flags.out,
    supplier: flags.supplier ?? config.supplier,
    transport: transportOf(flags, config),
  };
}

/**
 * Returns the settings that override the recorded connection of a run. The default target of the configuration file
 * does not apply, because it may be the platform of another run.
 */
function transportOf({ baseUrl, target, ca, proxy }: Flags, config: Config): TransportSettings {
  const isNamed = baseUrl !== undefined || target !== undefined;
  const named = isNamed ? targetOf(definedMembers({ baseUrl, target }), config) : undefined;
  return { baseUrl: named?.baseUrl, ca: ca ?? named?.ca, proxy: proxy ?? named?.proxy };
}

interface ChosenTarget extends TargetConfig {
  readonly name: string | undefined;
}

function targetOf(flags: Flags, config: Config): ChosenTarget | undefined {
  const name = targetNameOf(flags, config);
  const targets = new Map(Object.entries(config.targets ?? {}));
  const named = name === undefined ? undefined : targets.get(name);
  if (name !== undefined && named === undefined) {
    const known = [...targets.keys()];
    throw new Failure("config", `unknown target "${name}"`, {
      hint: suggestionOrKnown(name, known, "targets"),
      place: flags.target === undefined ? config.placeAt?.(["target"]) : undefined,
    });
  }
  const baseUrl = flags.baseUrl ?? named?.baseUrl;
  return baseUrl === undefined ? undefined : { ...named, name, baseUrl, ca: flags.ca ?? named?.ca };
}

/** Returns the name of the chosen target. If `--base-url` is given, the default target of the file does not apply. */
export function targetNameOf(flags: Flags, config: Config): string | undefined {
  return flags.target ?? (flags.baseUrl === undefined ? config.target : undefined);
}

function suggestionOrKnown(name: string, known: readonly string[], what: string): string {
  return suggestionOr(`${what} in the configuration file: ${known.join(", ") || "none"}`, name, known);
}

/**
 * Returns the import supplier of the job. Settings of the target override settings at the top level of the file. If
 * suppliers are listed, the code must be in the list, because records with a misspelt code would go to the wrong
 * supplier.
 */
function supplierOf(flags: Flags, config: Config, target: ChosenTarget | undefined): Supplier {
  const code = flags.supplier ?? target?.supplier ?? config.supplier;
  const suppliers = suppliersOf(config, target);
  if (code === undefined) return { code, rootLocation: config.documentRoot, bucket: onlyBucketOf(suppliers) };
  const named = suppliers.get(code);
  if (named === undefined && suppliers.size > 0) {
    throw new Failure("config", `there is no supplier "${code}" in the configuration file`, {
      hint: suggestionOrKnown(code, [...suppliers.keys()], "suppliers"),
      place: flags.supplier === undefined ? config.placeAt?.(supplierPath(target)) : undefined,
    });
  }
  const rootLocation = named?.rootLocation ?? config.documentRoot;
  return { ...named, code, rootLocation, otherBuckets: bucketsExcept(named?.bucket, suppliers) };
}

/** Returns the path of the setting in the configuration file that names the supplier. */
function supplierPath(target: ChosenTarget | undefined): AttrPath {
  return target?.supplier === undefined ? ["supplier"] : ["targets", target.name ?? "", "supplier"];
}

/** Returns the import suppliers by code. Settings of the target override settings at the top level of the file. */
function suppliersOf(config: Config, target: ChosenTarget | undefined): ReadonlyMap<string, SupplierSettings> {
  const listed = new Map(Object.entries(config.suppliers ?? {}));
  const ofTarget = new Map(Object.entries(target?.suppliers ?? {}));
  const codes = [...new Set([...ofTarget.keys(), ...listed.keys()])];
  return new Map(codes.map((code) => [code, { ...listed.get(code), ...ofTarget.get(code) }]));
}

function rootsOf(config: Config, target: ChosenTarget | undefined): Readonly<Record<string, string>> | undefined {
  const roots = [...suppliersOf(config, target)].flatMap(([code, { rootLocation }]) =>
    rootLocation === undefined ? [] : [[code, rootLocation] as const],
  );
  return roots.length === 0 ? undefined : Object.fromEntries(roots);
}

/**
 * Returns the suppliers' bucket if their settings name exactly one bucket. Each supplier has its own root in the
 * bucket.
 */
function onlyBucketOf(suppliers: ReadonlyMap<string, SupplierSettings>): string | undefined {
  const buckets = new Set([...suppliers.values()].flatMap(({ bucket }) => bucket ?? []));
  return buckets.size === 1 ? [...buckets][0] : undefined;
}

function rateLimitSettings(flags: Flags, target: ChosenTarget | undefined): RateLimitSettings {
  const { concurrency = DEFAULT_PACE.concurrency, waitForSupplier: limit, wait } = flags;
  return {
    concurrency,
    maxConcurrency: target?.maxConcurrency ?? DEFAULT_PACE.maxConcurrency,
    rps: flags.rps ?? target?.rps,
    ...(limit !== undefined && { waitForSupplier: limit === true ? {} : { forMs: limit } }),
    ...(wait !== undefined && { wait }),
  };
}

const DEFAULT_LEASE_MS = 30_000;
/** The minimum lease. Workers send at least one heartbeat per second, and at least five per lease. */
const MIN_LEASE_MS = 2_000;
const MAX_LEASE_MS = 24 * 60 * 60 * 1000;

function workerSettings({ workers, lease }: Flags): WorkerSettings | undefined {
  if (workers === undefined && lease === undefined) return undefined;
  if (workers === undefined) {
    throw new Failure("usage", "--lease needs workers", { hint: "set the number of workers: --workers <n>" });
  }
  if (lease === undefined) return { count: workers, leaseMs: DEFAULT_LEASE_MS };
  if (lease >= MIN_LEASE_MS && lease <= MAX_LEASE_MS) return { count: workers, leaseMs: lease };
  throw new Failure("usage", `--lease ${lease / 1000}s is too ${lease < MIN_LEASE_MS ? "short" : "long"}`, {
    hint: "use 2s to 24h; the default is 30s",
  });
}

const TARGET_FLAGS = Object.entries<OptionRow>({ ...PLATFORMS, ...TARGET }).flatMap(([name, { flag }]) =>
  flag === false ? [] : [name],
);

function targetSettings(
  { name, environment, ...target }: ChosenTarget,
  { auth: scheme, ...flags }: Flags,
): TargetSettings {
  const auth = { ...target.auth, ...(scheme !== undefined && { scheme }) };
  return {
    ...recordedValues(TARGET, { ...target, ...flags, auth }),
    flags: flagsAsTyped({ ...flags, auth: scheme, target: name }, TARGET_FLAGS),
    production: environment === "production",
  };
}

function namedSources(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const named = new Map<string, readonly string[]>();
  for (const entry of given) {
    const [, name, file] = /^([^=]+)=(.+)$/s.exec(entry) ?? [];
    if (name === undefined || file === undefined) {
      throw new Failure("usage", `--source ${entry}: expected <name>=<path>`, {
        hint: "for example --source customers=customers.csv",
      });
    }
    named.set(name, [...(named.get(name) ?? []), file]);
  }
  return Object.fromEntries(named);
}

/**
 * Returns the rules of `owners`, which the option `flag` requires.
 * @throws Failure `usage` if the configuration file has no `owners`
 */
export function requireOwners(owners: readonly OwnerRule[] | undefined, flag: string): readonly OwnerRule[] {
  if (owners !== undefined) return owners;
  throw new Failure("usage", `${flag} needs \`owners\` in the configuration file`, {
    hint: "see docs/configuration.md, section Owners",
  });
}
