import { destinationsOf } from "../../commands/ledger/report.ts";
import { type RunStatus, status } from "../../commands/ledger/run-status.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { DestinationReport } from "../../model/migration-report.ts";
import { formatPlace } from "../../model/place.ts";
import { readRunLedger, requireRun, unlessEmpty } from "../../pipeline/run/run-ledger.ts";
import { headline, leftByDay } from "../../report/page/migration-page.ts";
import { describeProblem } from "../../report/problems/problem-text.ts";
import { plainText } from "../../text/plain-text.ts";
import type { ProjectSettings } from "../web-project.ts";
import type { LiveData, LiveError, OverviewData, RunData } from "./overview-data.ts";

/**
 * Returns the numbers that `status` reports. Does not change the ledger, because another process may be writing to it.
 */
export async function readOverview(
  { ledger: at, inventory }: ProjectSettings,
  dependencies: Dependencies,
): Promise<OverviewData> {
  const store = await openLedgerStore(at, dependencies);
  const destinations = await unlessEmpty(() => readRunLedger(store, destinationsOf));
  if (destinations === undefined) return { destinations: [], inventory: [], runs: [] };
  const { temporaryFolder } = dependencies;
  const counted = inventory === undefined ? undefined : { inventory, temporaryFolder };
  const {
    runs,
    migration = [],
    inventory: states = [],
  } = await status({ ledger: at, inventory: counted }, dependencies);
  return {
    ...(destinations.length > 0 && { headline: headline(destinations) }),
    destinations: destinations.map((each) => ({
      ...each,
      left: leftByDay(each),
      withoutKey: migration.find((state) => isSame(state, each))?.withoutKey ?? 0,
    })),
    inventory: states,
    runs: runs.map(runData),
  };
}

function isSame(a: DestinationState, b: DestinationReport): boolean {
  return a.target === b.target && a.supplier === b.supplier && a.operation === b.operation;
}

function runData({ run, summary, by, state }: RunStatus): RunData {
  const { id, command, dryRun, target, supplier, operation, startedAt, finishedAt } = run;
  const { records, counts } = summary;
  const about = { id, command, dryRun, target, supplier, operation, state, startedAt, records, counts };
  return { ...about, ...definedMembers({ finishedAt, by: by && plainText(by, MAX_TEXT) }) };
}

/** Returns the id of the active run, and text that changes whenever a run starts or a listed run ends. */
export async function readActivity(
  store: LedgerStore,
): Promise<{ readonly active: string | undefined; readonly version: string }> {
  const active = await unlessEmpty(() => store.activeRun());
  const latest = await unlessEmpty(() => readRunLedger(store, (ledger) => requireRun(ledger, undefined)));
  return { active, version: JSON.stringify([active, latest?.id, latest?.exitCode]) };
}

/** Returns the active run, and a version that changes with the list of runs. Fast enough to be called every second. */
export async function readLive({ ledger: at }: ProjectSettings, dependencies: Dependencies): Promise<LiveData> {
  const store = await openLedgerStore(at, dependencies);
  const { active, version } = await readActivity(store);
  const [shown] =
    active === undefined ? [] : (await status({ ledger: at, run: active, coverage: [] }, dependencies)).runs;
  if (shown === undefined) return { version };
  const { rejected = 0 } = shown.summary.counts;
  const errors =
    rejected === 0 ? [] : await readRunLedger(store, (ledger) => lastErrors(ledger, shown.run.id, rejected));
  const { progress } = shown;
  return { version, live: { run: runData(shown), ...definedMembers({ progress }), errors } };
}

const SHOWN_ERRORS = 5;
/** Maximum length of a key, a place, or the name of the person who started a run. */
const MAX_TEXT = 200;
/**
 * The last rejected records are shown only if at most this many records are rejected. Outcomes are read in input order,
 * so finding the last outcomes of a long list would take too long.
 */
const MAX_REJECTED = 2000;

async function lastErrors(ledger: Ledger, run: string, rejected: number): Promise<readonly LiveError[]> {
  if (rejected > MAX_REJECTED) return [];
  const last: LiveError[] = [];
  for await (const batch of ledger.outcomes(run, { statuses: ["rejected"] })) {
    for (const { record, key, source, problems } of batch) {
      const [problem] = problems;
      const text = problem === undefined ? "Rejected by the platform" : describeProblem(problem);
      const place = plainText(formatPlace(problem?.place ?? source), MAX_TEXT);
      last.push({ record, ...(key !== undefined && { key: plainText(key, MAX_TEXT) }), place, text });
      if (last.length > SHOWN_ERRORS) last.shift();
    }
  }
  return last.toReversed();
}
