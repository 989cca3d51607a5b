import path from "node:path";
import { pathsFrom } from "../job/contract-files.ts";
import type { JobSettings } from "../job/job.ts";
import { DEFAULT_PACE, type RateLimitSettings, type TargetSettings } from "../job/settings/platform-settings.ts";
import { DEFAULT_LEDGER, isAddress, requireLedgerLocator } from "../ledger/open-ledger-store.ts";
import type { RunOptions } from "../pipeline/run/with-run.ts";
import type {
  CallOptions,
  JobOptions,
  PaceOptions,
  ReadTargetOptions,
  ReportOptions,
  ValidateOptions,
} from "./run-options.ts";

/** Converts the options to those of the commands. */
export function runOptions(options: ValidateOptions): RunOptions {
  const { allowEmpty = false, maxErrors, threads = "auto" } = options;
  return { job: jobSettings(options), ...reportOptions(options), allowEmpty, maxErrors, threads };
}

export function reportOptions({
  out,
  workbook,
  showValues = false,
  folder,
}: ReportOptions & CallOptions): Pick<RunOptions, "out" | "workbook" | "showValues"> {
  return { out: out === undefined ? undefined : fromFolder(folder)(out), workbook, showValues };
}

/** The URL of the ledger, or its path relative to the current folder of the process. */
export function ledgerOf({ ledger = DEFAULT_LEDGER, folder }: { ledger?: string | undefined } & CallOptions): string {
  const locator = requireLedgerLocator(ledger);
  return isAddress(locator) ? locator : fromFolder(folder)(locator);
}

function fromFolder(folder: string | undefined): (file: string) => string {
  return pathsFrom(path.resolve(folder ?? "."));
}

function jobSettings(options: JobOptions & Pick<CallOptions, "folder">): JobSettings {
  const { contract, sources = [], namedSources = {}, rules, ...rest } = options;
  const { operation, mapping, supplier, documentRoots, documentRoot, references, today } = rest;
  const { encoding, delimiter, limit, only, functionTimeout } = rest;
  return {
    folder: path.resolve(options.folder ?? "."),
    contract: listOf(contract),
    sources: listOf(sources),
    namedSources,
    operation,
    mapping,
    supplier,
    documentRoots,
    documentRoot,
    rules,
    references,
    today,
    encoding,
    delimiter,
    limit,
    only,
    functionTimeout,
  };
}

function listOf(texts: string | readonly string[]): readonly string[] {
  return typeof texts === "string" ? [texts] : texts;
}

export function paceOf(pace: PaceOptions = {}): RateLimitSettings {
  const { concurrency = DEFAULT_PACE.concurrency, maxConcurrency = DEFAULT_PACE.maxConcurrency } = pace;
  return { ...pace, concurrency, maxConcurrency };
}

/** @param folder base of relative paths */
export function targetSettings(target: ReadTargetOptions, folder: string): TargetSettings {
  const { baseUrl, proxy, timeouts, allowInsecureLoopback = false, auth = {} } = target;
  const resolve = pathsFrom(folder);
  const ca = target.ca === undefined ? undefined : resolve(target.ca);
  return {
    baseUrl,
    flags: ["--base-url", baseUrl, ...(ca === undefined ? [] : ["--ca", ca])],
    ca,
    proxy,
    timeouts,
    allowInsecureLoopback,
    production: target.environment !== "test",
    auth: {
      ...auth,
      ...(auth.apiKeyFile !== undefined && { apiKeyFile: resolve(auth.apiKeyFile) }),
      ...(auth.tokenFile !== undefined && { tokenFile: resolve(auth.tokenFile) }),
    },
  };
}
