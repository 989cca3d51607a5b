import { validate } from "../../commands/check/validate.ts";
import { openRecords } from "../../commands/ledger/open-records.ts";
import { fieldTitleAt } from "../../contract/types/type-tree.ts";
import { pathsFrom, readContractWithFindings, usableOperation } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { openJob } from "../../job/job.ts";
import { readJobMapping } from "../../job/job-mapping.ts";
import { setupPaths } from "../../job/settings/setup-paths.ts";
import { parseAttr } from "../../json/attr.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { type ErrorDetails, failureDetails, recover } from "../../model/failure.ts";
import { NEEDS_WORK, type Outcome } from "../../model/outcome.ts";
import type { OwnerRule } from "../../model/owner.ts";
import { cellsOfJob, type CellReader } from "../../pipeline/owners/read-cells.ts";
import { findOwners, haveColumns } from "../../pipeline/owners/record-owner.ts";
import { readRunLedger, unlessEmpty } from "../../pipeline/run/run-ledger.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import type { FieldTitle } from "../../report/problems/problem-title.ts";
import { plainText } from "../../text/plain-text.ts";
import { timestamp } from "../../time/clock.ts";
import type { ProjectSettings } from "../web-project.ts";
import { createProblemCollector, type ProblemCollector, type ProblemRecord } from "./collect-problems.ts";
import type { Basis, ProblemsData } from "./problems-data.ts";

/** The problems, and a function that returns the rows of each cause. */
export interface FoundProblems {
  readonly data: ProblemsData;
  readonly rows: ProblemCollector["rows"];
}

/**
 * Groups the records that need work.
 * @param basis the default is `migration`, or `files` before the first push
 */
export async function findProblems(
  settings: ProjectSettings,
  basis: Basis | undefined,
  dependencies: Dependencies,
): Promise<FoundProblems> {
  const hasPush = await hasPushed(settings, dependencies);
  const chosen = basis ?? (hasPush ? "migration" : "files");
  const found =
    chosen === "migration" ? await openProblems(settings, dependencies) : await problemsOfFiles(settings, dependencies);
  const { collector, contractError, notices = [] } = found;
  const data: ProblemsData = {
    basis: chosen,
    at: timestamp(dependencies.clock),
    records: collector.records(),
    hasPush,
    causes: collector.causes(),
    notices,
    ...(contractError !== undefined && { contractError }),
  };
  return { data, rows: collector.rows };
}

async function hasPushed({ ledger }: ProjectSettings, dependencies: Dependencies): Promise<boolean> {
  const store = await openLedgerStore(ledger, dependencies);
  const runs = await unlessEmpty(() => readRunLedger(store, (opened) => opened.runs()));
  return runs?.some(({ dryRun, state }) => !dryRun && state !== "planning") ?? false;
}

interface CollectedProblems {
  readonly collector: ProblemCollector;
  readonly contractError?: ErrorDetails | undefined;
  readonly notices?: readonly string[];
}

/** Reads the open records of the migration across all runs. */
async function openProblems(settings: ProjectSettings, dependencies: Dependencies): Promise<CollectedProblems> {
  const { ledger, inventory, owners } = settings;
  const { fieldTitle, contractError } = await readFieldTitles(settings, dependencies);
  const collector = createProblemCollector({ fieldTitle, now: dependencies.clock.now() });
  await openRecords({ ledger, inventory, owners }, dependencies, collector.add);
  return { collector, contractError };
}

interface FieldTitles {
  readonly fieldTitle?: FieldTitle;
  readonly contractError?: ErrorDetails;
}

/** Reads the titles of fields from the contract. If the contract cannot be used, problems are shown without titles. */
async function readFieldTitles({ job }: ProjectSettings, dependencies: Dependencies): Promise<FieldTitles> {
  const read = async (): Promise<FieldTitles> => {
    const files = job.contract.map(pathsFrom(job.folder));
    const contract = await readContractWithFindings(files, dependencies, job.rules, setupPaths(job));
    const name = job.operation ?? (await readJobMapping(job))?.operation;
    const { body } = usableOperation(contract, name, files);
    return { fieldTitle: (attr) => body && fieldTitleAt(body, parseAttr(attr)) };
  };
  return recover(read, (failure) => ({ contractError: failureDetails(failure) }));
}

/** Finds the records of the current files that need work according to `migrate validate`. */
async function problemsOfFiles(settings: ProjectSettings, dependencies: Dependencies): Promise<CollectedProblems> {
  const notices: string[] = [];
  const quiet = {
    ...dependencies,
    onProgress: () => undefined,
    notice: (text: string) => void notices.push(plainText(text)),
  };
  const done = await validate({ ...settings, out: undefined, threads: 1 }, quiet);
  try {
    const [failure] = done.failures;
    if (failure !== undefined) throw failure;
    return { collector: await collectOutcomes(done, settings, quiet), notices };
  } finally {
    await done.close();
  }
}

async function collectOutcomes(
  { report }: RunReport,
  settings: ProjectSettings,
  dependencies: Dependencies,
): Promise<ProblemCollector> {
  const { owners = [] } = settings;
  const collector = createProblemCollector({ fieldTitle: report.fieldTitle, now: dependencies.clock.now() });
  const job = haveColumns(owners) ? await openJob(settings.job, dependencies) : undefined;
  const cells = job && cellsOfJob(job, dependencies);
  try {
    for await (const outcomes of report.outcomes([...NEEDS_WORK])) {
      collector.add(await withOwners(outcomes, owners, cells, settings.job.supplier ?? ""));
    }
  } finally {
    await cells?.close();
    await job?.input.close();
  }
  return collector;
}

async function withOwners(
  outcomes: readonly Outcome[],
  rules: readonly OwnerRule[],
  cells: CellReader | undefined,
  supplier: string,
): Promise<readonly ProblemRecord[]> {
  const records = outcomes.map(({ record, source, problems, status, key }) => ({
    run: "",
    record,
    source,
    problems,
    supplier,
    state: status,
    ...(key !== undefined && { key }),
  }));
  const found = await findOwners(rules, records, cells);
  return records.map((record, at) => ({ ...record, owner: found[at] }));
}
