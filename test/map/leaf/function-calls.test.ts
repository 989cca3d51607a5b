import { describe, expect, test } from "vitest";
import {
  createFunctionCalls,
  type FunctionCall,
  type FunctionCalls,
  NO_FUNCTIONS,
} from "../../../src/map/leaf/function-calls.ts";
import type { CallResult } from "../../../src/model/call-result.ts";
import { rowOf } from "../rows.ts";

const PLACE = { file: "mapping.yaml", line: 2 };

/** Returns calls whose results are numbered in the order of evaluation: `a1`, `b2`. */
function numberedCalls(limit = Number.POSITIVE_INFINITY) {
  const evaluated: (readonly string[])[] = [];
  let results = 0;
  const evaluate = async (batch: readonly FunctionCall[]): Promise<readonly CallResult[]> => {
    evaluated.push(batch.map(({ name, text }) => `${name}(${text})`));
    return batch.slice(0, limit).map(({ text }) => `${text}${(results += 1)}`);
  };
  return { evaluated, calls: createFunctionCalls({ ...NO_FUNCTIONS, names: ["f", "g"], evaluate }) };
}

function resultsOf(calls: FunctionCalls, row: ReturnType<typeof rowOf>, texts: readonly string[]) {
  return texts.map((text) => calls.resultOf("f", text, row, PLACE));
}

describe("the results of calls", () => {
  test("are found by name and text, in any order", async () => {
    const { calls, evaluated } = numberedCalls();
    const row = rowOf({});
    await calls.prepare([row], [() => [...resultsOf(calls, row, ["a", "b"]), calls.resultOf("g", "a", row, PLACE)]]);
    expect(evaluated).toEqual([["f(a)", "f(b)", "g(a)"]]);
    expect(resultsOf(calls, row, ["b", "a", "b"])).toEqual(["b2", "a1", "b2"]);
    expect(calls.resultOf("g", "a", row, PLACE)).toBe("a3");
  });
  test("are returned in call order every time the row is used, even for repeated calls", async () => {
    const { calls } = numberedCalls();
    const row = rowOf({});
    await calls.prepare([row], [() => resultsOf(calls, row, ["a", "a", "b", "a"])]);
    expect(resultsOf(calls, row, ["a", "a", "b", "a"])).toEqual(["a1", "a2", "b3", "a4"]);
    expect(resultsOf(calls, row, ["a", "a", "b", "a"])).toEqual(["a1", "a2", "b3", "a4"]);
  });
  test("belong to their row", async () => {
    const { calls } = numberedCalls();
    const [one, two] = [rowOf({}), rowOf({})];
    await calls.prepare([one, two], [(row) => [calls.resultOf("f", "a", row, PLACE)]]);
    expect(resultsOf(calls, two, ["a"])).toEqual(["a2"]);
    expect(resultsOf(calls, one, ["a"])).toEqual(["a1"]);
  });
  test("are available in later rounds, so repeated calls are not evaluated again", async () => {
    const { calls, evaluated } = numberedCalls();
    const row = rowOf({});
    const seen: CallResult[] = [];
    const first = () => resultsOf(calls, row, ["a", "a"]);
    const second = () => seen.push(...resultsOf(calls, row, ["a", "b", "a"]));
    await calls.prepare([row], [first, second]);
    expect(evaluated).toEqual([["f(a)", "f(a)"], ["f(b)"]]);
    expect(seen).toEqual(["a1", undefined, "a2"]);
    expect(resultsOf(calls, row, ["b"])).toEqual(["b3"]);
  });
  test("are evaluated again if the row is prepared again", async () => {
    const { calls, evaluated } = numberedCalls();
    const row = rowOf({});
    const collect = () => resultsOf(calls, row, ["a"]);
    await calls.prepare([row], [collect]);
    await calls.prepare([row], [collect]);
    expect(evaluated).toEqual([["f(a)"], ["f(a)"]]);
    expect(resultsOf(calls, row, ["a"])).toEqual(["a2"]);
  });
  test("are not requested in a round without calls", async () => {
    const { calls, evaluated } = numberedCalls();
    await calls.prepare([rowOf({})], [() => undefined, () => undefined]);
    await calls.prepare([], [() => undefined]);
    expect(evaluated).toEqual([]);
  });
});

describe("a call without a result", () => {
  const message = "a row was mapped before its function calls were evaluated";
  test("is an error, before and after other rows are prepared", async () => {
    const { calls } = numberedCalls();
    const row = rowOf({});
    expect(() => calls.resultOf("f", "a", row, PLACE)).toThrow(message);
    await calls.prepare([row], [() => resultsOf(calls, row, ["a"])]);
    expect(() => calls.resultOf("f", "b", row, PLACE)).toThrow(message);
    expect(() => calls.resultOf("g", "a", row, PLACE)).toThrow(message);
    expect(() => calls.resultOf("f", "a", rowOf({}), PLACE)).toThrow(message);
  });
  test("is an error if the evaluation stopped at an earlier call", async () => {
    const { calls } = numberedCalls(1);
    const row = rowOf({});
    await calls.prepare([row], [() => resultsOf(calls, row, ["a", "b"])]);
    expect(resultsOf(calls, row, ["a"])).toEqual(["a1"]);
    expect(() => calls.resultOf("f", "b", row, PLACE)).toThrow(message);
  });
  test("is replaced by the text of the cell while an attr is located, but not afterwards", async () => {
    const { calls } = numberedCalls();
    const row = rowOf({});
    expect(calls.duringLocate(() => calls.resultOf("f", "a", row, PLACE))).toBe("a");
    expect(() => calls.resultOf("f", "a", row, PLACE)).toThrow(message);
    const stopped = () =>
      calls.duringLocate(() => {
        throw new Error("no such column");
      });
    expect(stopped).toThrow("no such column");
    expect(() => calls.resultOf("f", "a", row, PLACE)).toThrow(message);
    await calls.prepare([row], [() => resultsOf(calls, row, ["a"])]);
    expect(calls.duringLocate(() => resultsOf(calls, row, ["a", "b"]))).toEqual(["a1", "b"]);
  });
});

test("the calls of the rows before an error are evaluated", async () => {
  const { calls, evaluated } = numberedCalls();
  const [one, two, three] = [rowOf({}), rowOf({}), rowOf({})];
  const collect = (row: ReturnType<typeof rowOf>) => {
    if (row === two) throw new Error("no such column");
    calls.resultOf("f", "a", row, PLACE);
  };
  await calls.prepare([one, two, three], [(row) => collect(row === one ? one : two)]);
  expect(evaluated).toEqual([["f(a)"]]);
  expect(resultsOf(calls, one, ["a"])).toEqual(["a1"]);
});
