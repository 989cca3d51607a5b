import path from "node:path";
import { pathsFrom } from "../job/contract-files.ts";
import { DEFAULT_PACE, type RateLimitSettings, type TargetSettings } from "../job/settings/platform-settings.ts";
import { DEFAULT_LEDGER, isAddress, requireLedgerLocator } from "../ledger/open-ledger-store.ts";
import type { RunOptions } from "../pipeline/run/with-run.ts";
import { JOB } from "../options/job-options.ts";
import { REPORT, type ReportOptions, RUN } from "../options/run-options.ts";
import { recordedValues, resolvedPaths } from "../options/option-values.ts";
import { TARGET } from "../options/target-options.ts";
import type { CallOptions, PaceOptions, ReadTargetOptions, ValidateOptions } from "./run-options.ts";

export function runOptions(options: ValidateOptions): RunOptions {
  const { threads = "auto", contract, sources = [], namedSources = {} } = options;
  const given = { ...options, contract: listOf(contract), sources: listOf(sources), namedSources };
  const job = { ...recordedValues(JOB, given), folder: folderOf(options) };
  return { ...recordedValues(RUN, { ...options, threads }), job, ...reportOptions(options) };
}

export function reportOptions({
  showValues = false,
  folder,
  ...options
}: ReportOptions & CallOptions): Pick<RunOptions, "out" | "workbook" | "showValues"> {
  const { out, workbook } = resolvedPaths(REPORT, options, fromFolder(folder));
  return { out, workbook, showValues };
}

/** Returns the URL of the ledger, or a path that is valid in the current folder of the process. */
export function ledgerOf({ ledger = DEFAULT_LEDGER, folder }: { ledger?: string | undefined } & CallOptions): string {
  const locator = requireLedgerLocator(ledger);
  return isAddress(locator) ? locator : fromFolder(folder)(locator);
}

export function folderOf({ folder = "." }: CallOptions): string {
  return path.resolve(folder);
}

function fromFolder(folder: string | undefined): (file: string) => string {
  return pathsFrom(folderOf({ folder }));
}

function listOf(texts: string | readonly string[]): readonly string[] {
  return typeof texts === "string" ? [texts] : texts;
}

export function paceOf(pace: PaceOptions = {}): RateLimitSettings {
  const { concurrency = DEFAULT_PACE.concurrency, maxConcurrency = DEFAULT_PACE.maxConcurrency } = pace;
  return { ...pace, concurrency, maxConcurrency };
}

/** @param folder base folder of relative paths */
export function targetSettings(target: ReadTargetOptions, folder: string): TargetSettings {
  const { auth = {}, ...given } = resolvedPaths(TARGET, target, pathsFrom(folder));
  const { baseUrl, ca } = given;
  return {
    ...recordedValues(TARGET, { ...given, auth }),
    flags: ["--base-url", baseUrl, ...(ca === undefined ? [] : ["--ca", ca])],
    production: target.environment !== "test",
  };
}
