import { countInventory } from "../../job/inventory/count-inventory.ts";
import type { InventoryOptions } from "../../job/inventory/compare-inventory.ts";
import type { InventoryState } from "../../job/inventory/inventory-state.ts";
import type { RunProgress, RunState } from "../../job/run-progress.ts";
import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import { differencesOf } from "../../job/settings/same-run.ts";
import type { LedgerStore, StoreOptions } from "../../ledger/ledger-store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Coverage, Run } from "../../ledger/records/run.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { SharedStatus } from "../../ledger/runs/shared-run.ts";
import type { Summary } from "../../model/outcome.ts";
import { progressPath, readProgress } from "../../pipeline/run/progress-file.ts";
import {
  countAmbiguousBefore,
  listedRuns,
  noteUnplanned,
  readRunLedger,
  requireRun,
} from "../../pipeline/run/run-ledger.ts";
import { runState } from "../../pipeline/run/run-state.ts";
import type { WallClock } from "../../time/clock.ts";

export interface StatusOptions {
  readonly ledger: string;
  /** Id of one run. Default: all runs. */
  readonly run?: string | undefined;
  /** Known coverage. If absent, the command counts the coverage again, by reading every record. */
  readonly coverage?: LedgerStatus["coverage"] | undefined;
  readonly inventory?: InventoryOptions | undefined;
}

/** The content of the ledger and the reported progress of the active run. */
export interface LedgerStatus {
  /** The runs, latest first, without the checks that `migrate web` ran. */
  readonly runs: readonly RunStatus[];
  /** The coverage of all runs, even if `runs` contains only one run. */
  readonly coverage: readonly Coverage[];
  /** The state of the migration by destination; absent if one run was requested or the coverage was known. */
  readonly migration?: readonly DestinationState[] | undefined;
  /** The state of the inventory by platform; absent without an inventory and whenever `migration` is absent. */
  readonly inventory?: readonly InventoryState[] | undefined;
  /** Number of ambiguous records that no run contains; absent whenever `migration` is absent. */
  readonly unplanned?: number | undefined;
}

export interface RunStatus {
  readonly run: Run;
  readonly summary: Summary;
  /** Number of ambiguous records of the run that only earlier runs have sent. */
  readonly ambiguousBefore?: number;
  /** The person who started the run. */
  readonly by?: string | undefined;
  /** `superseded`: the run is unfinished, but later pushes have planned all of its records. */
  readonly state: RunState | "superseded";
  /** Present for the active run. */
  readonly progress?: RunProgress | undefined;
  /** Present for a run whose records several processes send. */
  readonly shared?: SharedStatus | undefined;
}

/** Returns the state of the runs in the ledger. Does not change the ledger. */
export async function status(
  options: StatusOptions,
  { clock, notice }: StoreOptions & { readonly clock: WallClock },
): Promise<LedgerStatus> {
  const store = await openLedgerStore(options.ledger, { notice });
  return readRunLedger(store, async (ledger) => {
    const all = await ledger.runs();
    const runs = options.run === undefined ? all : [await requireRun(ledger, options.run)];
    const active = await store.activeRun();
    const listed: RunStatus[] = [];
    const unsettled = new Set(await ledger.unsettledRuns());
    for (const run of options.run === undefined ? listedRuns(runs, active) : runs)
      listed.push(await statusOf(run, run.id === active, { ledger, store, clock, unsettled, all }));
    if (options.coverage !== undefined) return { runs: listed, coverage: options.coverage };
    const coverage = await ledger.coverage();
    if (options.run !== undefined) return { runs: listed, coverage };
    const migration = await ledger.migration();
    const unplanned = await noteUnplanned(ledger, notice);
    const counted = { store, ledger, runs, migration, clock };
    const inventory = options.inventory && (await countInventory(options.inventory, counted));
    return { runs: listed, coverage, migration, inventory, unplanned };
  });
}

interface StatusContext {
  readonly ledger: Ledger;
  readonly store: LedgerStore;
  readonly clock: WallClock;
  readonly unsettled: ReadonlySet<string>;
  /** All runs of the ledger, latest first. */
  readonly all: readonly Run[];
}

async function statusOf(
  run: Run,
  isActive: boolean,
  { ledger, store, clock, unsettled, all }: StatusContext,
): Promise<RunStatus> {
  const summary = await ledger.summary(run.id);
  const progress = isActive ? await readProgress(progressPath(store, run.id), clock.now()) : undefined;
  const shared = await store.sharedStatus?.(run.id);
  const isSent = isActive || shared?.workers.some(({ state }) => state === "working") === true;
  const state = runState(run, summary.counts, isSent);
  const isPlannedAgain = hasOpenRecords(run, summary, state) && !unsettled.has(run.id);
  const isSuperseded = isPlannedAgain || (state !== "running" && isReadAgain(run, all));
  const { by } = settingsIfKnown(run) ?? {};
  const ambiguousBefore = await countAmbiguousBefore(ledger, run.id, summary.counts);
  return { run, summary, ambiguousBefore, by, state: isSuperseded ? "superseded" : state, progress, shared };
}

/** Whether the input of a push was not read to the end, but a later push has read the same input to the end. */
function isReadAgain(run: Run, all: readonly Run[]): boolean {
  if (run.state !== "planning" || run.dryRun) return false;
  const at = all.findIndex(({ id }) => id === run.id);
  const later = all.slice(0, at).filter(({ state, dryRun }) => state !== "planning" && !dryRun);
  return later.some((push) => differencesOf(push, run).length === 0);
}

/** Whether a push has ended with records that can still be sent or settled. */
function hasOpenRecords(run: Run, { counts }: Summary, state: RunState): boolean {
  const { pending = 0, blocked = 0, ambiguous = 0 } = counts;
  const isPush = run.command === "push" && !run.dryRun && run.state !== "planning";
  return isPush && state !== "running" && pending + blocked + ambiguous > 0;
}
