import { resolve } from "node:path";
import { isAddress, openLedgerStore } from "../ledger/open-ledger-store.ts";
import { exitCodeOf } from "../model/exit-codes.ts";
import { Failure } from "../model/failure.ts";
import { type Outcome, STATUSES, type Summary } from "../model/outcome.ts";
import type { Problem } from "../model/problem.ts";
import type { RunReport } from "../pipeline/run/run-report.ts";
import { collectCauses } from "../report/formats/causes.ts";
import { outcomeLine, problemJson } from "../report/formats/json-report.ts";
import { describeKind } from "../report/problems/problem-text.ts";
import { outcomesWithProblems, type Report } from "../report/report.ts";
import { requireStatuses } from "./run-options.ts";
import type { Causes, RecordError, RecordOutcome, RunResult } from "./run-result.ts";

interface ResultOptions {
  readonly showValues: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Returns the result of a run whose outcomes are in a closed ledger. The outcomes can be read while another process
 * writes to the ledger.
 */
export function recordedResult(run: RunReport, ledger: string, { showValues }: { showValues: boolean }): RunResult {
  const { id } = run.report.run ?? {};
  // The process may change its current folder before it reads the outcomes.
  const locator = isAddress(ledger) ? ledger : resolve(ledger);
  const outcomes: Report["outcomes"] = async function* outcomes(statuses) {
    if (id === undefined) return;
    const reading = await (await openLedgerStore(locator)).read();
    try {
      for await (const batch of reading.outcomes(id, statuses && { statuses })) {
        yield batch.map((outcome) => run.shownValues?.fill(outcome) ?? outcome);
      }
    } finally {
      await reading.close();
    }
  };
  return resultOf({ ...run, report: { ...run.report, outcomes } }, { showValues, close: async () => undefined });
}

/** Returns the result of a run whose outcomes are available until `close`. */
export function openResult(run: RunReport, { showValues, close }: ResultOptions): RunResult {
  let isOpen = true;
  const outcomes: Report["outcomes"] = (statuses) => {
    if (isOpen) return run.report.outcomes(statuses);
    throw new Failure("usage", "the result of this validation is closed", {
      hint: "read the outcomes before you close it",
    });
  };
  const closeOnce = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await close();
  };
  return resultOf({ ...run, report: { ...run.report, outcomes } }, { showValues, close: closeOnce });
}

function resultOf({ report, exitCode, failures, files }: RunReport, { showValues, close }: ResultOptions): RunResult {
  return {
    run: report.run?.id,
    exitCode: exitCodeOf(exitCode),
    summary: { ...report.summary, counts: inOrder(report.summary.counts), exitCode },
    failures,
    report: files && { ...pathsOf(files), folder: report.folder ?? "" },
    next: report.next,
    async *outcomes(statuses) {
      requireStatuses(statuses);
      for await (const batch of report.outcomes(statuses)) {
        for (const outcome of batch) yield recordOutcome(outcome, showValues);
      }
    },
    causes: () => causesOf(report),
    close,
  };
}

function inOrder(counts: Summary["counts"]): Summary["counts"] {
  return Object.fromEntries(
    STATUSES.flatMap((status) => (counts[status] === undefined ? [] : [[status, counts[status]]])),
  );
}

function pathsOf({ outcomes, errors, page, summary, rejects }: NonNullable<RunReport["files"]>) {
  const files = rejects.files.map(({ child, path, rows }) => ({ source: child, path, rows }));
  return { outcomes, errors, page, summary, rejects: files };
}

async function causesOf(report: Report): Promise<Causes> {
  const { causes, others } = await collectCauses(outcomesWithProblems(report));
  return {
    causes: causes.map(({ code, attr, severity, by, count, first, shapes }) => ({
      code,
      attr,
      severity,
      by,
      count,
      detail: describeKind(first),
      shapes: shapes.map(({ shape, count: of, example: { record, place } }) => ({
        shape,
        count: of,
        example: { record, source: place },
      })),
    })),
    others,
  };
}

/** Converts an outcome to an object by parsing its outcome line, which is the only fixed format of an outcome. */
export function recordOutcome(outcome: Outcome, showValues: boolean): RecordOutcome {
  return JSON.parse(outcomeLine(outcome, { showValues }));
}

export function recordErrors(problems: readonly Problem[]): readonly RecordError[] {
  return problems.map((problem) => JSON.parse(problemJson(problem, { showValues: false })));
}
