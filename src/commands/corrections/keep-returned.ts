import { existsSync } from "node:fs";
import type { ReturnedRejects } from "../../corrections/check-corrections.ts";
import { type ReturnedChange, returnedChanges } from "../../corrections/returned-changes.ts";
import { createSourceSearch, type SourceSearch } from "../../corrections/source-search.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { correctorOptions } from "../../job/correct-input.ts";
import { type Job, openJob, withJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { Failure } from "../../model/failure.ts";
import { getOrAdd } from "../../model/groups.ts";
import type { Row } from "../../model/record.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { type Corrector, createCorrector } from "../../read/corrections/apply-corrections.ts";
import { readAppendedChanges } from "../../read/corrections/corrections-file.ts";
import { withDescendants } from "../../read/input/opened-source.ts";
import { keyOf } from "../../read/row/row-key.ts";
import { timestamp } from "../../time/clock.ts";
import { keyNames } from "./add-corrections.ts";
import { appendChanges, NO_CORRECTIONS, readWithNotice } from "./change-corrections.ts";
import { type CellKeeper, cellName, createCellKeeper, type NotKept, type SourceKeys } from "./keep-cells.ts";

export interface KeepOptions {
  /** Settings for reading the sources to correct. */
  readonly job: JobSettings;
  /** Settings for reading the rejects of each folder, in the order in which the user named the folders. */
  readonly rejects: readonly JobSettings[];
  readonly file: string;
  /** The person who runs the command: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly by: string;
  /** Default: a reason that names the run of the rejects. */
  readonly reason: string | undefined;
  readonly showValues: boolean;
}

export interface KeptCorrections extends StoredCells {
  readonly file: string;
  /** The number of added rows. They cannot be kept, because a correction changes a single cell. */
  readonly addedRows: number;
  readonly missingRows: number;
}

interface StoredCells {
  readonly added: number;
  /** The number of earlier corrections that were replaced. */
  readonly replaced: number;
  /** The number of corrections that were removed because the cell again has the same value as in the sources. */
  readonly removed: number;
  /** The number of cells that already have the new value. */
  readonly alreadyCorrected: number;
  readonly notKept: readonly NotKept[];
}

/**
 * Stores the changed cells of returned rejects as corrections, after the same checks as a re-import. Does not correct a
 * cell that has changed in the sources since the export.
 * @throws failures while re-importing rejects, reading the sources or writing the corrections
 */
export async function keepReturned(options: KeepOptions, dependencies: Dependencies): Promise<KeptCorrections> {
  const { file, by, reason } = options;
  const returned = await readReturned(options, dependencies);
  const before = existsSync(file) ? await readWithNotice(file, dependencies.notice) : NO_CORRECTIONS;
  return withJob({ ...options.job, corrections: undefined }, dependencies, async (job) => {
    refuseOtherSources(returned, job);
    const { amend } = createCorrector(before.corrections, correctorOptions(file, job));
    const sources = await findSourceRows(job, returned, { amend, signal: dependencies.drain });
    const at = timestamp(dependencies.clock);
    const keeper = createCellKeeper(before.corrections, sources, { by, at, reason });
    for (const changes of sources.folders) keeper.keep(changes);
    const findings = returned.map((each) => each.findings);
    return {
      file,
      ...(await store(file, before.end, keeper)),
      addedRows: sum(findings.flatMap(({ added }) => added)),
      missingRows: sum(findings.flatMap(({ lost, deleted }) => [...lost, ...deleted])),
    };
  });
}

async function readReturned(
  { rejects, showValues }: KeepOptions,
  dependencies: Dependencies,
): Promise<readonly ReturnedRejects[]> {
  const returned: ReturnedRejects[] = [];
  for (const settings of rejects) {
    const { input } = await openJob(settings, dependencies, {
      showValues,
      onReturned: (each) => void returned.push(each),
    });
    await input.close();
  }
  return returned;
}

function sum(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((total, { count }) => total + count, 0);
}

function refuseOtherSources(returned: readonly ReturnedRejects[], { plan }: Job): void {
  const names = withDescendants<SourceSpec>(plan).map(({ name }) => name);
  for (const { findings, manifest } of returned) {
    const other = manifest.files.find(({ source }) => !names.includes(source));
    if (other === undefined) continue;
    throw new Failure("usage", `${findings.folder}: the mapping has no source "${other.source}"`, {
      hint: `its sources are: ${names.join(", ")}; use --mapping to pass the mapping that the rejects were exported with`,
    });
  }
}

/** Returns the changed rows of each rejects folder. Each changed row has its candidate rows in the sources. */
async function findSourceRows(
  job: Job,
  returned: readonly ReturnedRejects[],
  { amend, signal }: { readonly amend: Corrector["amend"]; readonly signal: AbortSignal },
): Promise<SourceKeys & { readonly folders: readonly (readonly ReturnedChange[])[] }> {
  const folders = returned.map(returnedChanges);
  const keyNameIn = keyNames(job);
  const keyOfRow = (source: string, row: Row): string | undefined => {
    const name = keyNameIn(source, row);
    return name === undefined ? undefined : keyOf(row, name);
  };
  const joined = withDescendants<SourceSpec | ChildSpec>(job.plan).filter(
    (spec) => "on" in spec && spec.key === undefined,
  );
  const withoutOwnKey = new Set(joined.map(({ name }) => name));
  const searches = new Map<string, SourceSearch>();
  const wanted = new Map<string, Row[]>();
  for await (const { source, rows, problems } of job.input.rowsByFile(signal)) {
    const own = folders.map((changes) => changes.filter(({ row }) => row.source === source));
    const search = getOrAdd(searches, source, () => createSourceSearch(own));
    for (const [at, raw] of rows.entries()) {
      const candidate = {
        raw,
        problems: problems[at] ?? [],
        current: amend(raw, source),
        hasOwnKey: !withoutOwnKey.has(source),
      };
      const found = search(candidate.current, keyNameIn(source, raw));
      for (const { candidates } of found) candidates.push(candidate);
      const key = found.length === 0 ? undefined : keyOfRow(source, raw);
      if (key !== undefined) wanted.set(nameOf(source, key), []);
    }
  }
  for await (const { source, rows } of job.input.rowsByFile(signal))
    for (const row of rows) wanted.get(nameOf(source, keyOfRow(source, row)))?.push(row);
  return { folders, keyOfRow, rowsWithKey: (source, key) => wanted.get(nameOf(source, key)) ?? [] };
}

function nameOf(source: string, key: string | undefined): string {
  return JSON.stringify([source, key]);
}

/** Appends the lines. Omits cells that another program has corrected since the file was read. */
async function store(file: string, before: number, keeper: CellKeeper): Promise<StoredCells> {
  let changes = keeper.changes();
  if (changes.length > 0) {
    await appendChanges(file, async (now) => {
      if (now < before)
        throw new Failure("source_changed", `${file} was replaced by another program`, {
          hint: "no corrections were added; run the same command again",
        });
      const newer = new Set<string>();
      let end = before;
      for await (const appended of readAppendedChanges(file, { from: before, to: now })) {
        for (const { correction } of appended.changes) newer.add(cellName(correction));
        ({ end } = appended);
      }
      for (const { cell, correction } of changes) if (newer.has(cellName(correction))) keeper.refuse(cell, "corrected");
      changes = changes.filter(({ correction }) => !newer.has(cellName(correction)));
      return { changes: changes.map(({ change, correction }) => ({ change, correction })), end };
    });
  }
  const set = changes.filter(({ change }) => change === "set");
  const added = set.filter(({ isNew }) => isNew).length;
  return { added, replaced: set.length - added, removed: changes.length - set.length, ...keeper.counts() };
}
