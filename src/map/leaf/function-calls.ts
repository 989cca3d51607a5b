import type { CallResult, RowCalls } from "../../model/call-result.ts";
import type { Place } from "../../model/place.ts";
import type { Row } from "../../model/record.ts";

/** The user's functions for leaves. They run outside this thread, and calls are evaluated in batches. */
export interface MappingFunctions {
  readonly names: readonly string[];
  /**
   * Evaluates calls in order. Stops after the first fault; the results after it are missing.
   * @throws Failure if the functions cannot continue, because a call ended or blocked their thread
   */
  readonly evaluate: (calls: readonly FunctionCall[]) => Promise<readonly CallResult[]>;
  readonly close: () => Promise<void>;
}

/** The empty set of functions, for a mapping without `functions`. */
export const NO_FUNCTIONS: MappingFunctions = {
  names: [],
  evaluate: async () => [],
  close: async () => undefined,
};

export interface FunctionCall {
  readonly name: string;
  /** The cell's text after `trim`, `replace`, `upper` and `lower`. */
  readonly text: string;
  readonly row: Row;
  /** The place in the mapping that names the function. */
  readonly place: Place;
}

/** Results of calls, evaluated for whole batches of rows before the rows are mapped. */
export interface FunctionCalls {
  /**
   * Returns the result of a call. While calls are collected, stores the call and returns `undefined`.
   * @throws Error for a call that was not prepared
   */
  readonly resultOf: (name: string, text: string, row: Row, place: Place) => CallResult;
  /** Locates an attr. The rows need not be prepared, because the cell's text replaces a missing result. */
  readonly duringLocate: <Found>(locate: () => Found) => Found;
  /**
   * Collects and evaluates the calls of each row, round by round, because the calls of a later round may depend on the
   * results of an earlier round. In the first round, evaluates every call of a row, even if the call repeats an earlier
   * call. The results are used in the order of the calls.
   */
  readonly prepare: (rows: readonly Row[], rounds: readonly Collect[]) => Promise<void>;
}

/** Makes the function calls for a row. May throw an error, which `map` then throws for the same row. */
type Collect = (row: Row) => void;

interface CollectedCall extends FunctionCall {
  isDone: boolean;
  result: CallResult;
}

export function createFunctionCalls(functions: MappingFunctions): FunctionCalls {
  let isLocating = false;
  let collected: CollectedCall[] | undefined;
  /** True in the first round, when no results are known. */
  let isFirst = false;
  let batch = 0;
  let batches = 0;

  return {
    resultOf(name, text, row, place) {
      if (!isFirst) {
        const known = row.calls && findCall(row.calls, name, text);
        if (known?.isDone === true) return known.result;
        if (isLocating) return text;
      }
      if (collected === undefined) throw new Error("a row was mapped before its function calls were evaluated");
      const call: CollectedCall = { name, text, row, place, isDone: false, result: undefined };
      collected.push(call);
      if (row.calls?.batch === batch) row.calls.entries.push(call);
      else row.calls = { entries: [call], batch, next: 0 };
      return undefined;
    },
    duringLocate(locate) {
      isLocating = true;
      try {
        return locate();
      } finally {
        isLocating = false;
      }
    },
    async prepare(rows, rounds) {
      batches += 1;
      const own = batches;
      for (const [round, collect] of rounds.entries()) {
        batch = own;
        const calls: CollectedCall[] = [];
        [collected, isFirst] = [calls, round === 0];
        try {
          for (const row of rows) collect(row);
        } catch {
          // `map` throws the same error for this row, so later rows are not mapped.
        } finally {
          [collected, isFirst] = [undefined, false];
        }
        if (calls.length === 0) continue;
        const results = await functions.evaluate(calls);
        for (const [index, result] of results.entries()) {
          const call = calls[index];
          if (call !== undefined) [call.result, call.isDone] = [result, true];
        }
      }
    },
  };
}

function findCall(calls: RowCalls, name: string, text: string): RowCalls["entries"][number] | undefined {
  const { entries, next } = calls;
  for (let searched = 0; searched < entries.length; searched += 1) {
    const at = (next + searched) % entries.length;
    const call = entries[at];
    if (call?.name !== name || call.text !== text) continue;
    calls.next = at + 1;
    return call;
  }
  return undefined;
}
