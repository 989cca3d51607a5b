import type { Job, JobDependencies } from "../../job/job.ts";
import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { OpenRecord } from "../../ledger/migration-state.ts";
import { Failure, FAILURES } from "../../model/failure.ts";
import { ownColumn } from "../../map/source-columns.ts";
import type { Cells } from "../../model/owner.ts";
import type { InputRecord, Row } from "../../model/record.ts";
import { counted } from "../../text/count.ts";
import { readRecords } from "../plan/check-records.ts";
import { orderedRecords } from "../plan/ordered-records.ts";
import { openRecordedJob } from "../run/recorded-job.ts";

/** Reads the cells of records again. Records must be passed run by run, and in input order within a run. */
export interface CellReader {
  /** Returns undefined if the cells are not known. */
  readonly read: (record: Pick<OpenRecord, "run" | "record" | "source">) => Promise<Cells | undefined>;
  readonly close: () => Promise<void>;
}

export interface CellDependencies extends JobDependencies {
  readonly drain: AbortSignal;
}

/**
 * Reads the cells of records from several runs, using the inputs of these runs. Reads each input at most once. If an
 * input has changed or cannot be read, the cells of its run are not known, and a notice states how many records need
 * these cells.
 */
export function cellsOfRuns(ledger: Ledger, dependencies: CellDependencies): CellReader {
  const quiet = { ...dependencies, notice: () => undefined, onProgress: () => undefined };
  let current: RunCells | undefined;
  const leave = async (): Promise<void> => {
    const left = current;
    current = undefined;
    await left?.cells?.close();
    if (left?.unreadable === undefined) return;
    dependencies.notice(
      `Run ${left.run}: \`owners\` rules that use \`columns\` do not apply to ${counted(left.lost, "record")}: ${left.unreadable}`,
    );
  };
  return {
    async read(record) {
      if (record.run === "") return undefined;
      if (current?.run !== record.run) await leave();
      const run = (current ??= { run: record.run, lost: 0 });
      try {
        if (run.unreadable === undefined) {
          run.cells ??= await openCells(run.run, ledger, quiet);
          return await run.cells.read(record);
        }
      } catch (error) {
        // The input or another file of the run causes failures with this exit code.
        if (!(error instanceof Failure) || error.exitCode !== FAILURES.source_unreadable) throw error;
        run.unreadable = error.message;
      }
      run.lost += 1;
      return undefined;
    },
    close: leave,
  };
}

interface RunCells {
  readonly run: string;
  cells?: CellReader;
  /** The reason why the input cannot be read. */
  unreadable?: string;
  /** The number of records whose cells are not known. */
  lost: number;
}

async function openCells(id: string, ledger: Ledger, dependencies: CellDependencies): Promise<CellReader> {
  const run = await ledger.findRun(id);
  const settings = run && settingsIfKnown(run);
  if (settings === undefined) throw new Failure("run_unknown", "the settings of the run cannot be read");
  const job = await openRecordedJob(settings, { stored: ledger, dependencies, trustsTime: true });
  const cells = cellsOfJob(job, dependencies);
  return { ...cells, close: () => cells.close().finally(job.input.close) };
}

/**
 * Reads the cells of one run's records from the run's open input.
 * @throws Failure `source_changed` if a record is no longer at the place that it had in the run; `incomplete` if the
 * user stops the command; errors from reading
 */
export function cellsOfJob(job: Pick<Job, "input">, { drain }: Pick<CellDependencies, "drain">): CellReader {
  const records = orderedRecords(readRecords(job, drain));
  return {
    async read({ record, source }) {
      const found = await records.at(record);
      if (found?.row.table.file === source.file && found.row.line === source.line) return cellsOf(found);
      if (drain.aborted) throw new Failure("incomplete", "stopped before the owners of all records were found");
      throw new Failure("source_changed", `record ${record} is no longer at ${source.file}:${source.line}`);
    },
    close: records.close,
  };
}

/**
 * Returns the cells of a record, by the column names that a mapping uses: `REGION` from its own row, `customers.SYSTEM`
 * from the rows joined to its row, and `customers.addresses.CITY` from the rows joined to those rows. An orphan has
 * only cells from its own source.
 */
export function cellsOf({ source, orphan, row }: Pick<InputRecord, "source" | "orphan" | "row">): Cells {
  if (!orphan) return (column) => cellsIn(row, column);
  return (column) => {
    const at = `.${column}`.indexOf(`.${source}.`);
    return at < 0 ? [] : cellsIn(row, column.slice(at + source.length + 1));
  };
}

function cellsIn(row: Row, column: string): readonly string[] {
  const own = ownColumn(column);
  if (own.isIn(row)) {
    const cell = own.read(row);
    return typeof cell === "string" ? [cell] : [];
  }
  const end = column.indexOf(".");
  const joined = end < 0 ? undefined : row.children?.get(column.slice(0, end));
  return joined?.flatMap((each) => cellsIn(each, column.slice(end + 1))) ?? [];
}
