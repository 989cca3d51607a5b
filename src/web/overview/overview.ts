import { destinationsOf } from "../../commands/ledger/report.ts";
import { type RunStatus, status } from "../../commands/ledger/run-status.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { DestinationReport } from "../../model/migration-report.ts";
import { formatPlace } from "../../model/place.ts";
import { readRunLedger } from "../../pipeline/run/run-ledger.ts";
import { headline, leftByDay } from "../../report/page/migration-page.ts";
import { describeProblem } from "../../report/problem-text.ts";
import { plainText } from "../../text/plain-text.ts";
import type { ProjectSettings, WebProject } from "../web-project.ts";
import type { LiveError, OverviewData, OverviewEvent, RunData } from "./overview-data.ts";

type OverviewSettings = Pick<ProjectSettings, "ledger" | "inventory">;
type OverviewDependencies = WebProject["dependencies"];

/**
 * Returns the numbers that `status` reports. Does not change the ledger, because another process may be writing to it.
 */
export async function readOverview(
  { ledger: at, inventory }: OverviewSettings,
  dependencies: OverviewDependencies,
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

type Destination = Pick<DestinationReport, "target" | "supplier" | "operation">;

function isSame(a: Destination, b: Destination): boolean {
  return a.target === b.target && a.supplier === b.supplier && a.operation === b.operation;
}

/** Returns the result of `read`; undefined if there is no ledger yet, or if the ledger has no runs. */
async function unlessEmpty<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.code === "run_unknown") return undefined;
    throw error;
  }
}

function runData({ run, summary, by, state }: RunStatus): RunData {
  const { id, command, dryRun, target, supplier, operation, startedAt, finishedAt } = run;
  return {
    id,
    command,
    dryRun,
    target,
    supplier,
    operation,
    state,
    startedAt,
    ...(finishedAt !== undefined && { finishedAt }),
    ...(by !== undefined && { by: plainText(by, MAX_TEXT) }),
    records: summary.records,
    counts: summary.counts,
  };
}

/** Returns the active run, and a version that changes with the list of runs. Fast enough to be called every second. */
export async function readLive(
  { ledger: at }: Pick<OverviewSettings, "ledger">,
  dependencies: OverviewDependencies,
): Promise<Omit<OverviewEvent, "push">> {
  const store = await openLedgerStore(at, dependencies);
  const active = await unlessEmpty(() => store.activeRun());
  const latest = await unlessEmpty(() => readRunLedger(store, (ledger) => ledger.findRun()));
  const version = JSON.stringify([active, latest?.id, latest?.exitCode]);
  const [shown] =
    active === undefined ? [] : (await status({ ledger: at, run: active, coverage: [] }, dependencies)).runs;
  if (shown === undefined) return { version };
  const { rejected = 0 } = shown.summary.counts;
  const errors =
    rejected === 0 ? [] : await readRunLedger(store, (ledger) => lastErrors(ledger, shown.run.id, rejected));
  const { progress } = shown;
  return { version, live: { run: runData(shown), ...(progress !== undefined && { progress }), errors } };
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
