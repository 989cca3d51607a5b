import type { Run } from "../ledger/ledger.ts";
import type { Status, Summary } from "../model/outcome.ts";
import type { JobSettings } from "./job.ts";
import { settingsOf } from "./run-settings.ts";
import { shellLine } from "./shell-line.ts";

/** A file with the rows that need work, and the source of the mapping that it feeds; none: the only source. */
export interface RejectedSource {
  readonly source: string | undefined;
  readonly path: string;
}

/** A run that has ended or stopped, as far as going on from it is concerned. */
export interface LeftOver {
  readonly run: Run;
  readonly settings: JobSettings | undefined;
  readonly summary: Summary;
  readonly rejects: readonly RejectedSource[];
  readonly ledger: string | undefined;
}

/** The exact command that goes on from here; undefined when nothing is left that a command can do. */
export function nextCommand({ run, settings, summary, rejects, ledger }: LeftOver): string | undefined {
  const ledgerFlag = flag("--ledger", ledger);
  if (isUnfinished(run, summary)) {
    return shellLine(["migrate", "resume", run.id, ...ledgerFlag]);
  }
  if (rejects.length === 0 || settings === undefined) return undefined;
  const sources = rejects.flatMap(({ source, path }) =>
    source === undefined ? [path] : ["--source", `${source}=${path}`],
  );
  const target = run.command === "push" ? [...settingsOf(run).target.flags, ...ledgerFlag] : [];
  return shellLine(["migrate", run.command, ...sources, ...jobFlags(settings), ...target]);
}

/** Stopped while reading, or with records that are still to be sent. */
function isUnfinished(run: Run, summary: Summary): boolean {
  if (run.command !== "push" || run.dryRun) return false;
  const left = (status: Status): number => summary.counts[status] ?? 0;
  return left("pending") + left("blocked") > 0 || (run.state === "planning" && summary.exitCode === STOPPED);
}

const STOPPED = 3;

function jobFlags(job: JobSettings): readonly string[] {
  return [
    ...flag("--config", job.config),
    ...job.contract.flatMap((file) => ["--contract", file]),
    ...flag("--operation", job.operation),
    ...flag("--mapping", job.mapping),
    ...flag("--supplier", job.supplier),
    ...flag("--delimiter", job.delimiter),
    ...flag("--encoding", job.encoding),
  ];
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
