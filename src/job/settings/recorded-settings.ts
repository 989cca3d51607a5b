import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { z } from "zod";
import { timestamp, type WallClock } from "../../time/clock.ts";
import type { Job } from "../job.ts";
import type { JobSettings } from "./job-settings.ts";
import { pathsFrom } from "../contract-files.ts";
import { endpointOf } from "../endpoint.ts";
import type { NewRun, Run } from "../../ledger/records/run.ts";
import { Failure } from "../../model/failure.ts";
import { JOB } from "../../options/job-options.ts";
import { KEYS, REJECTS, RUN, type RunValues } from "../../options/run-options.ts";
import { recordedShape } from "../../options/option-schemas.ts";
import { recordedValues, resolvedPaths } from "../../options/option-values.ts";
import { PACE, TARGET } from "../../options/target-options.ts";
import { type RecordedFile, recordedFileSchema, recordFiles } from "./recorded-files.ts";
import type { RateLimitSettings, TargetSettings } from "./platform-settings.ts";

/** The settings of a push that describe how it sends records. */
export interface PushSettings extends RunValues {
  readonly target: TargetSettings;
  readonly pace: RateLimitSettings;
  /** Set for a push with `--workers`: worker processes send its records, and more workers can join. */
  readonly workers?: WorkerSettings | undefined;
  /** Whether the user confirmed in advance (`--yes`) that the run may send to production and send invalid records. */
  readonly confirmed?: boolean | undefined;
  /** The person who started the run. */
  readonly by?: string | undefined;
  /** Whether lists of runs omit the run once it has ended. Set for a dry run that only prepares a confirmation. */
  readonly isUnlisted?: boolean | undefined;
}

/** The settings of a push, as recorded in the ledger. `resume` continues with them. Contains no credentials. */
export interface RunSettings extends PushSettings {
  readonly job: JobSettings;
  /** Secret key for the fingerprints of the run's rejects: 256 random bits as text. */
  readonly rejectsSecret: string;
  /** The fingerprints of all files that the run depends on. */
  readonly files: readonly RecordedFile[];
}

export interface WorkerSettings {
  /** Number of processes started on the machine of the push. */
  readonly count: number;
  /** Time without a heartbeat after which a worker is considered dead. */
  readonly leaseMs: number;
}

/** Describes a new push for the ledger. Reads every file once to record its fingerprint. */
export async function describeRun(
  options: PushSettings & { readonly dryRun: boolean },
  { job, host, clock }: { readonly job: Job; readonly host: string; readonly clock: WallClock },
): Promise<NewRun> {
  const { target, pace, workers, confirmed, by, isUnlisted, dryRun } = options;
  const { files, setup } = await recordFiles(job);
  const { copies: _copies, ...recordedJob } = job.settings;
  const settings: RunSettings = {
    job: recordedJob,
    target,
    pace,
    workers,
    ...recordedValues(RUN, options),
    confirmed,
    by,
    isUnlisted,
    rejectsSecret: randomBytes(32).toString("base64url"),
    files,
  };
  return {
    command: "push",
    target: host,
    supplier: job.settings.supplier ?? "",
    operation: job.operation.id,
    endpoint: endpointOf(target.baseUrl, job.operation),
    settings,
    dryRun,
    startedAt: timestamp(clock),
    setup,
  };
}

/** Describes a run that only reads the job's input. Its ledger is temporary, and the run cannot be resumed. */
export function describeTemporaryRun(
  command: "validate" | "documents check",
  { settings, operation }: Job,
  clock: WallClock,
): NewRun & { readonly command: "validate" | "documents check" } {
  return {
    command,
    target: "",
    supplier: settings.supplier ?? "",
    operation: operation.id,
    endpoint: "",
    settings: {},
    dryRun: false,
    startedAt: timestamp(clock),
  };
}

/**
 * Returns the settings of a run. Paths outside `job` are resolved for use from the current folder.
 * @throws Failure `ledger_damaged` if the ledger contains invalid settings
 */
export function settingsOf(run: Run): RunSettings {
  const settings = settingsIfKnown(run);
  if (settings !== undefined) return settings;
  throw new Failure("ledger_damaged", `the settings of run ${run.id} cannot be read`, {
    hint: "start a new push with `migrate push`, which does not send accepted records again",
  });
}

/** Returns the settings of a run, as `settingsOf` does; undefined if the ledger contains invalid settings. */
export function settingsIfKnown({ settings }: NewRun): RunSettings | undefined {
  const parsed = runSettingsSchema.safeParse(settings);
  return parsed.success ? withResolvedPaths(parsed.data) : undefined;
}

/**
 * Returns recorded settings without the secret for fingerprints, because that secret would allow a reader to guess cell
 * values.
 */
export function settingsWithoutSecret(settings: string): string {
  const hidden: keyof RunSettings = "rejectsSecret";
  return JSON.stringify(JSON.parse(settings), (name, value: unknown) => (name === hidden ? undefined : value));
}

/** Returns the job settings in a report; undefined if they are invalid. */
export function jobSettingsIfKnown(settings: unknown): JobSettings | undefined {
  return jobSettingsSchema.safeParse(settings).data;
}

/**
 * Returns the settings of a run. If `folder` contains more of the run's input files than the folder of the run does,
 * the paths in the settings refer to `folder` instead.
 */
export function settingsSeenFrom(run: Run, folder: string): RunSettings {
  const settings = settingsOf(run);
  const seen = settingsOf({ ...run, settings: moved(run.settings, settings.job.folder, folder) });
  return countInputs(seen) > countInputs(settings) ? seen : settings;
}

function countInputs({ job, files }: RunSettings): number {
  const resolve = pathsFrom(job.folder);
  return files.filter(({ kind, file }) => kind === "input" && existsSync(resolve(file))).length;
}

/** Replaces the folder `from` with the folder `to` in every path of a JSON value. */
function moved(value: unknown, from: string, to: string): unknown {
  if (typeof value === "string")
    return value === from || value.startsWith(`${from}/`) ? to + value.slice(from.length) : value;
  if (Array.isArray(value)) return value.map((one) => moved(one, from, to));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, moved(one, from, to)]));
}

/** Resolves the recorded paths, which are relative to the folder in which the run started. */
function withResolvedPaths(settings: RunSettings): RunSettings {
  const resolve = pathsFrom(settings.job.folder);
  return { ...resolvedPaths(RUN, settings, resolve), target: resolvedPaths(TARGET, settings.target, resolve) };
}

const texts = z.array(z.string());
const text = z.string().optional();

const jobSettingsSchema: z.ZodType<JobSettings> = z.object({
  ...recordedShape(JOB),
  folder: z.string(),
  config: text,
  configFile: text,
  standardInput: text,
  rejects: z
    .object({
      ...recordedShape(REJECTS),
      ...recordedShape(KEYS),
      folders: texts,
      encoding: text,
      delimiter: text,
    })
    .optional(),
});

const runSettingsSchema: z.ZodType<RunSettings> = z.object({
  ...recordedShape(RUN),
  job: jobSettingsSchema,
  target: z.object({ ...recordedShape(TARGET), flags: texts, production: z.boolean() }),
  pace: z.object({
    ...recordedShape(PACE),
    waitForSupplier: z.object({ forMs: z.number().optional() }).optional(),
    wait: z.boolean().optional(),
  }),
  workers: z.object({ count: z.number(), leaseMs: z.number() }).optional(),
  confirmed: z.boolean().optional(),
  by: z.string().optional(),
  isUnlisted: z.boolean().optional(),
  rejectsSecret: z.string(),
  files: z.array(recordedFileSchema),
});
