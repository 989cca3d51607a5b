import type { Attempt, RecordedDecision } from "../../ledger/records/requests.ts";
import type { Exclusion } from "../../ledger/records/exclusions.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { OutcomeFilter, Run } from "../../ledger/records/run.ts";
import type { StoreOptions } from "../../ledger/ledger-store.ts";
import { hexOf, identitiesOf, OPEN_PARAMETER } from "../../ledger/records/record-hashes.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { readRunLedger, requireRun } from "../../pipeline/run/run-ledger.ts";
import { type ChangedFile, changedFiles } from "../../job/settings/recorded-files.ts";
import { type RunSettings, settingsOf } from "../../job/settings/recorded-settings.ts";
import { withOwnVersions } from "../../job/settings/stored-setup.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { recordsWithOrigins, type TracedRecord } from "../check/preview.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";

export interface ExplainOptions {
  readonly key: string;
  readonly ledger: string;
  /** Id of the run to search. Default: the latest run that contains the key. */
  readonly run?: string | undefined;
}

/** All data about the records with one business key, for one operation and import supplier. */
export interface Explanation extends KnownRecord {
  /** Finds the records in the sources. This takes longer than the lookup in the ledger. */
  readonly readSources: () => Promise<ExplainedSources>;
}

interface FoundOutcomes {
  readonly run: Run;
  readonly outcomes: readonly Outcome[];
}

/** The ledger entries of the records. */
export interface KnownRecord extends FoundOutcomes {
  readonly key: string;
  /** Locator of the ledger. */
  readonly ledger: string;
  /** The accepted request of another run, if the records are neither `accepted` nor `skipped` in `run`. */
  readonly acceptedElsewhere?: Attempt | undefined;
  /** Every request for the records, oldest first. */
  readonly attempts: readonly Attempt[];
  /**
   * The latest run for each other record with this key: a record of another operation or import supplier, or one with
   * another value of a path parameter.
   */
  readonly sameKeyElsewhere: readonly Run[];
  /** Every decision about the records while they were ambiguous, oldest first. */
  readonly decisions: readonly RecordedDecision[];
  /** Every exclusion of the records from the migration, oldest first. */
  readonly exclusions: readonly Exclusion[];
}

/** The records as found in the current sources. */
export interface ExplainedSources {
  /** Empty if the sources could not be read again. */
  readonly records: readonly TracedRecord[];
  /** The reason why the sources could not be read again. */
  readonly unreadable?: string;
  /**
   * The input files that have changed since the run began. Their current content may differ from the content that was
   * sent.
   */
  readonly changedInputs: readonly ChangedFile[];
}

/** Looks up a business key in the ledger and, on demand, in the sources of its run. Does not contact the platform. */
export async function explain(options: ExplainOptions, dependencies: Dependencies): Promise<Explanation> {
  const known = await lookUpRecord(options, dependencies);
  const { run, outcomes } = known;
  const key = canonicalKey(options.key);
  const readSettings = async (): Promise<RunSettings> => {
    const store = await openLedgerStore(options.ledger, dependencies);
    return readRunLedger(store, (stored) => withOwnVersions(settingsOf(run), { stored, dependencies }));
  };
  return { ...known, readSources: () => readSources({ key, outcomes, readSettings }, dependencies) };
}

/** Looks up a business key in the ledger only. */
export async function lookUpRecord(options: ExplainOptions, storeOptions: StoreOptions = {}): Promise<KnownRecord> {
  return readRunLedger(await openLedgerStore(options.ledger, storeOptions), async (ledger) => {
    const { key } = options;
    const { run, outcomes } = await lookUp(options, ledger);
    const runs = await ledger.runs();
    const requests = await ledger.attempts(key);
    const identities = identitiesIn({ run, outcomes }, { key, requests });
    const others = identities === undefined ? identitiesElsewhere(run, { key, runs, requests }) : new Set<string>();
    const isSame = ({ identity }: { readonly identity: Uint8Array }): boolean =>
      identities?.has(hexOf(identity)) ?? !others.has(hexOf(identity));
    const attempts = requests.filter(isSame);
    const isOnPlatform = outcomes.some(({ status }) => status === "accepted" || status === "skipped");
    return {
      key,
      ledger: options.ledger,
      run,
      outcomes,
      attempts,
      // For example, corrected rejects may have been accepted later.
      acceptedElsewhere:
        isOnPlatform || identities === undefined ? undefined : attempts.findLast(({ status }) => status === "accepted"),
      sameKeyElsewhere: latestRuns(
        runs,
        requests.filter((request) => !isSame(request)),
      ),
      decisions: (await ledger.decisions(key)).filter(isSame),
      exclusions: (await ledger.exclusions(key)).filter(isSame),
    };
  });
}

/**
 * Returns the identities of a run's records with a key, in hexadecimal. Undefined if one of them is unknown: it depends
 * on the path parameters of the endpoint, and the run sent no request for the record.
 */
function identitiesIn(
  { run, outcomes }: FoundOutcomes,
  { key, requests }: { readonly key: string; readonly requests: readonly Attempt[] },
): ReadonlySet<string> | undefined {
  if (!run.endpoint.includes(OPEN_PARAMETER)) return new Set([hexOf(identitiesOf(run)(key))]);
  const sent = new Map(
    requests.filter((each) => each.run === run.id).map(({ record, identity }) => [record, identity]),
  );
  if (outcomes.some(({ record }) => !sent.has(record))) return undefined;
  return new Set([...sent.values()].map(hexOf));
}

/** Returns the identities, in hexadecimal, of the records with a key that have another operation or import supplier. */
function identitiesElsewhere(
  { endpoint, supplier }: Run,
  {
    key,
    runs,
    requests,
  }: { readonly key: string; readonly runs: readonly Run[]; readonly requests: readonly Attempt[] },
): ReadonlySet<string> {
  const elsewhere = runs.filter((run) => run.endpoint !== endpoint || run.supplier !== supplier);
  const ids = new Set(elsewhere.map(({ id }) => id));
  const sent = requests.filter((request) => ids.has(request.run)).map(({ identity }) => identity);
  return new Set([...sent, ...elsewhere.map((run) => identitiesOf(run)(key))].map(hexOf));
}

/** Returns the runs that sent the latest request for one of the records, latest run first. */
function latestRuns(runs: readonly Run[], requests: readonly Attempt[]): readonly Run[] {
  const latest = new Map(requests.map(({ identity, run }) => [hexOf(identity), run]));
  const ids = new Set(latest.values());
  return runs.filter(({ id }) => ids.has(id));
}

/**
 * Finds the outcomes of a key. Searches all runs by default, because the latest push may contain only re-imported
 * rejects.
 */
async function lookUp({ key, run: id }: ExplainOptions, ledger: Ledger): Promise<FoundOutcomes> {
  const requested = await requireRun(ledger, id);
  const runs = id === undefined ? await ledger.runs() : [requested];
  for (const run of runs) {
    const outcomes = await outcomesIn(run, { key }, ledger);
    if (outcomes.length > 0) return { run, outcomes };
  }
  for (const run of runs) {
    const [near] = await outcomesIn(run, { nearKey: key }, ledger);
    if (near?.key !== undefined)
      throw new Failure("run_unknown", "no record has this key", { hint: `did you mean "${near.key}"?` });
  }
  const where = id === undefined ? "no run has a record" : `run ${requested.id} has no record`;
  throw new Failure("run_unknown", `${where} with this key`, {
    hint: id === undefined ? "check the spelling of the key" : "check the spelling of the key, or omit --run",
  });
}

async function outcomesIn(run: Run, filter: OutcomeFilter, ledger: Ledger): Promise<readonly Outcome[]> {
  const found: Outcome[] = [];
  for await (const batch of ledger.outcomes(run.id, filter)) found.push(...batch);
  return found;
}

interface SoughtRecord {
  readonly key: string;
  readonly outcomes: readonly Outcome[];
  readonly readSettings: () => Promise<RunSettings>;
}

async function readSources(
  { key, outcomes, readSettings }: SoughtRecord,
  dependencies: Dependencies,
): Promise<ExplainedSources> {
  let changedInputs: readonly ChangedFile[] = [];
  try {
    const { job, files } = await readSettings();
    const inputs = files.filter(({ kind }) => kind === "input");
    changedInputs = await changedFiles({ job, files: inputs }, { trustsTime: true });
    return { records: await recordsNow(key, outcomes, { job, dependencies }), changedInputs };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { records: [], unreadable: error.message, changedInputs };
  }
}

/** Finds the records in the sources: by number if the input is unchanged, otherwise by key. */
async function recordsNow(
  key: string,
  outcomes: readonly Outcome[],
  { job, dependencies }: { readonly job: JobSettings; readonly dependencies: Dependencies },
): Promise<readonly TracedRecord[]> {
  const { limit: _limit, ...settings } = job;
  const numbers = new Set(outcomes.map(({ record }) => record));
  const there = await recordsWithOrigins(settings, dependencies, numbers);
  const isSame =
    there.length === numbers.size &&
    there.every((record) => record.key !== undefined && canonicalKey(record.key) === key);
  return isSame ? there : recordsWithOrigins({ ...settings, only: [key] }, dependencies);
}
