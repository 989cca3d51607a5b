import type { Run } from "../ledger/ledger.ts";
import type { Status, Summary } from "../model/outcome.ts";
import type { JobSettings } from "./job.ts";
import type { TargetSettings } from "./connection.ts";
import { settingsOf } from "./run-settings.ts";

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

/** The exact command that goes on from here; undefined when nothing is left to do. */
export function nextCommand({ run, settings, summary, rejects, ledger }: LeftOver): string | undefined {
  const count = (status: Status): number => summary.counts[status] ?? 0;
  const ledgerFlag = ledger === undefined ? [] : ["--ledger", ledger];
  if (run.command === "push" && !run.dryRun && count("pending") + count("blocked") > 0) {
    return shellLine(["migrate", "resume", run.id, ...ledgerFlag]);
  }
  if (rejects.length === 0 || settings === undefined) return undefined;
  const sources = rejects.flatMap(({ source, path }) =>
    source === undefined ? [path] : ["--source", `${source}=${path}`],
  );
  const target = run.command === "push" ? [...targetFlags(settingsOf(run).target), ...ledgerFlag] : [];
  return shellLine(["migrate", run.command, ...sources, ...jobFlags(settings), ...target]);
}

function jobFlags(job: JobSettings): readonly string[] {
  return [
    ...job.contract.flatMap((file) => ["--contract", file]),
    ...flag("--operation", job.operation),
    ...flag("--mapping", job.mapping),
    ...flag("--supplier", job.supplier),
    ...flag("--delimiter", job.delimiter),
    ...flag("--encoding", job.encoding),
  ];
}

function targetFlags(target: TargetSettings): readonly string[] {
  if (target.name !== undefined) return flag("--target", target.name);
  return [...flag("--base-url", target.baseUrl), ...flag("--ca", target.ca)];
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/** Words as a POSIX shell wants them. */
function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
}
