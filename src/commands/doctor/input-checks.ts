import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { setupPaths } from "../../job/settings/setup-paths.ts";
import { type JobInput, openJobInput } from "../../job/job-input.ts";
import { withStandardInput } from "../../job/standard-input.ts";
import type { MappingDocument } from "../../map/document/mapping-document.ts";
import { Failure, recover } from "../../model/failure.ts";
import type { OwnerRule } from "../../model/owner.ts";
import { hasErrors } from "../../model/problem.ts";
import type { InputRecord, Row } from "../../model/record.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { createCorrector } from "../../read/corrections/apply-corrections.ts";
import { readCorrections } from "../../read/corrections/corrections-file.ts";
import { counted, formatCount, plural, verbOfShare } from "../../text/count.ts";
import { suggest } from "../../text/suggestion.ts";
import { type Check, failed, failedBy, formatBytes, ok, skipped, warning, INVALID_EXIT_CODE } from "./check.ts";

export interface InputChecks {
  readonly checks: readonly Check[];
  /** The number of records in the input; absent if the input was not read to its end. */
  readonly records?: number | undefined;
}

/**
 * Runs the checks that read the input, or its first records (`limit`): the files, the matches of the joins, and the
 * columns of `owners`. Also checks the corrections file. Reads the input once.
 */
export function inputChecks(
  { job: settings, owners = [] }: { readonly job: JobSettings; readonly owners?: readonly OwnerRule[] | undefined },
  document: MappingDocument | undefined,
  dependencies: Dependencies,
): Promise<InputChecks> {
  const check = async (): Promise<InputChecks> => {
    const job = await withStandardInput(settings, dependencies.temporaryFolder, dependencies);
    const { plan, input } = await openJobInput(document, job, dependencies);
    try {
      await checkCorrections(plan, job);
      const { checks, records } = await readWhole(plan, input, settings.limit, dependencies);
      return { checks: [...checks, ...ownerChecks(owners, plan, input.files)], records };
    } finally {
      await input.close();
    }
  };
  return recover(check, (failure) => {
    const isNotGiven = failure.code === "usage" && settings.sources.length === 0;
    return { checks: [isNotGiven ? skipped("input", failure.message) : failedBy("input", failure)] };
  });
}

/**
 * Reads the corrections file, but does not apply the corrections, because the check reads the sources without a
 * mapping.
 * @throws Failure `config` for an invalid or missing file, or a correction of an unknown source
 */
async function checkCorrections(plan: SourceSpec, settings: JobSettings): Promise<void> {
  const { corrections: file, rejects } = settings;
  if (file === undefined || rejects !== undefined) return;
  const { corrections } = await readCorrections(file, setupPaths(settings)(file));
  createCorrector(corrections, { file, plan, keyColumn: () => undefined });
}

async function readWhole(
  plan: SourceSpec,
  input: JobInput,
  limit: number | undefined,
  { drain, onProgress }: Dependencies,
): Promise<InputChecks> {
  const joins = joinCounts(plan);
  const read = { records: 0, unreadable: 0 };
  const isEnough = (): boolean => read.records >= (limit ?? Number.POSITIVE_INFINITY);
  const unmatched = await withoutMatch(async () => {
    for await (const batch of input.records({ signal: drain })) {
      for (const record of batch) {
        if (isEnough()) break;
        if (!record.orphan) read.records += 1;
        if (isUnreadable(record)) read.unreadable += 1;
        joins.count(record);
      }
      onProgress({ kind: "checked", records: read.records, invalid: read.unreadable });
      if (isEnough()) break;
    }
  });
  const bytes = input.files.reduce((sum, file) => sum + file.bytes, 0);
  const names = input.files.map(({ file }) => file);
  const files = `${counted(names.length, "file")} (${names.slice(0, 4).join(", ")}${names.length > 4 ? ", ..." : ""}), ${formatBytes(bytes)}`;
  return {
    checks: [filesCheck(files, read, isEnough()), ...joins.checks(isEnough()), ...unmatched],
    records: isEnough() ? undefined : read.records,
  };
}

/**
 * Reads the input. Returns a failed check if no row of a join matches. In that case, the reader fails after the last
 * record, when everything except the orphans has been counted.
 */
async function withoutMatch(readAll: () => Promise<void>): Promise<readonly Check[]> {
  try {
    await readAll();
    return [];
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "source_no_match") throw error;
    return [failedBy("join", error)];
  }
}

/** Whether a record has errors from reading. Ignores orphans, because the join checks report them. */
function isUnreadable({ orphan, problems }: InputRecord): boolean {
  return hasErrors(orphan ? problems.filter(({ code }) => code !== "source_orphan_row") : problems);
}

const FIX = "`migrate validate` shows the file, line and column of each problem";

function filesCheck(
  files: string,
  { records, unreadable }: { readonly records: number; readonly unreadable: number },
  isLimited: boolean,
): Check {
  const figures = { records, unreadable };
  const text = `${files}: ${isLimited ? "the first " : ""}${counted(records, "record")}`;
  if (unreadable > 0) {
    const bad = `${counted(unreadable, "record")} cannot be read with this mapping`;
    return failed("input", `${text}; ${bad}`, { exitCode: INVALID_EXIT_CODE, fix: FIX, figures });
  }
  return records === 0 ? warning("input", text, { figures }) : ok("input", text, { figures });
}

interface JoinCount {
  readonly child: ChildSpec;
  readonly parent: SourceSpec;
  parents: number;
  parentsWithRows: number;
  joined: number;
  orphans: number;
}

function joinCounts(root: SourceSpec): {
  readonly count: (record: InputRecord) => void;
  /**
   * Returns the checks of the joins that have matching rows or orphans, or of all joins if only part of the input was
   * read (`isLimited`).
   */
  readonly checks: (isLimited: boolean) => readonly Check[];
} {
  const counts = new Map<string, JoinCount>();
  const add = (parent: SourceSpec): void => {
    for (const child of parent.children) {
      counts.set(child.name, { child, parent, parents: 0, parentsWithRows: 0, joined: 0, orphans: 0 });
      add(child);
    }
  };
  add(root);
  const countBelow = (row: Row, { children }: SourceSpec): void => {
    for (const child of children) {
      const rows = row.children?.get(child.name) ?? [];
      const join = counts.get(child.name);
      if (join === undefined) continue;
      join.parents += 1;
      join.parentsWithRows += rows.length > 0 ? 1 : 0;
      join.joined += rows.length;
      for (const each of rows) countBelow(each, child);
    }
  };
  return {
    count: ({ orphan, source, row }) => {
      const join = orphan ? counts.get(source) : undefined;
      if (join !== undefined) join.orphans += 1;
      countBelow(row, join?.child ?? root);
    },
    checks: (isLimited) =>
      [...counts.values()]
        .filter(({ joined, orphans }) => isLimited || joined > 0 || orphans > 0)
        .map((join) => joinCheck(join, isLimited)),
  };
}

/**
 * Returns the check of one join. Call this function after all parents are read, because orphans are known only then.
 */
function joinCheck({ child, parent, ...counts }: JoinCount, isLimited: boolean): Check {
  const { parents, parentsWithRows, joined, orphans } = counts;
  const columns = `${child.name}.${child.on} -> ${parent.name}.${child.parentKey ?? parent.key ?? ""}`;
  const first = isLimited ? "the first " : "";
  const having = `${formatCount(parentsWithRows)} of ${first}${counted(parents, "row")} of ${parent.name} ${verbOfShare(parentsWithRows, parents, ["has", "have"])} matching rows`;
  const figures = { parents, parentsWithRows, joined, ...(!isLimited && { orphans }) };
  if (isLimited && joined === 0 && parents > 0) {
    const fix = `check \`on\` and \`key\` of "${child.name}" in the mapping`;
    return warning("join", `${columns}: ${having}`, { figures, fix });
  }
  const text = `${columns}: ${isLimited ? "" : `${matching(child, joined, orphans)}; `}${having}`;
  if (orphans > 0) return failed("join", text, { exitCode: INVALID_EXIT_CODE, fix: FIX, figures });
  return ok("join", text, { figures });
}

/**
 * States how many rows match. Omits the number if parents share rows or if `distinct` or `pick` drops rows, because the
 * number of joined rows then differs from the number of rows in the files.
 */
function matching({ parentKey, distinct, pick }: ChildSpec, joined: number, orphans: number): string {
  const isCounted = parentKey === undefined && distinct !== true && pick === undefined;
  if (!isCounted) return orphans === 0 ? "every row matches" : `${counted(orphans, "row")} without a match`;
  const rows = joined + orphans;
  return `${formatCount(joined)} of ${counted(rows, "row")} ${verbOfShare(joined, rows, ["matches", "match"])}${share(joined, rows)}`;
}

/** Formats a share as a percentage. Rounds down, so that 100% means every row. */
function share(part: number, whole: number): string {
  return whole === 0 ? "" : ` (${Math.floor((part / whole) * 1000) / 10}%)`;
}

/** Checks that the sources have the columns that `owners` names. Skips a source if any of its files has no header. */
function ownerChecks(owners: readonly OwnerRule[], plan: SourceSpec, files: JobInput["files"]): readonly Check[] {
  const named = [...new Set(owners.flatMap(({ columns = {} }) => Object.keys(columns)))];
  if (named.length === 0) return [];
  const columnsOf = headers(files);
  const missing = named.filter((name) => isMissing(name, plan, columnsOf));
  if (missing.length === 0) return [ok("owners", `columns ${named.join(", ")}`)];
  const known = columnNames(plan, columnsOf);
  const near = missing.map((name) => suggest(name, known)).find((name) => name !== undefined);
  const names = missing.map((name) => `"${name}"`).join(", ");
  const fix = near === undefined ? `columns of the sources: ${known.join(", ")}` : `did you mean "${near}"?`;
  const columns = `${plural(missing.length, "column")} ${names}`;
  const effect = `the rules that use ${missing.length === 1 ? "it" : "them"} match no record in this input`;
  return [warning("owners", `no source has the ${columns}, so ${effect}`, { fix })];
}

/** Returns the columns of a source; undefined if one of its files has no header. */
type ColumnsOf = (source: string) => ReadonlySet<string> | undefined;

function headers(files: JobInput["files"]): ColumnsOf {
  return (source) => {
    const own = files.filter((file) => file.source === source);
    return own.some(({ columns }) => columns === undefined)
      ? undefined
      : new Set(own.flatMap(({ columns = [] }) => columns));
  };
}

function isMissing(name: string, source: SourceSpec, columnsOf: ColumnsOf): boolean {
  const own = columnsOf(source.name);
  if (own?.has(name) === true) return false;
  const end = name.indexOf(".");
  const child = source.children.find((each) => each.name === name.slice(0, Math.max(0, end)));
  return child === undefined ? own !== undefined : isMissing(name.slice(end + 1), child, columnsOf);
}

function columnNames(source: SourceSpec, columnsOf: ColumnsOf): readonly string[] {
  const below = source.children.flatMap((child) =>
    columnNames(child, columnsOf).map((column) => `${child.name}.${column}`),
  );
  return [...(columnsOf(source.name) ?? []), ...below];
}
