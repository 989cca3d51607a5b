import { pathToFileURL } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { JsonObject } from "../../json/json-value.ts";
import type { FunctionCall, MappingFunctions } from "../../map/leaf/function-calls.ts";
import type { CallResult } from "../../model/call-result.ts";
import { endThread } from "../../model/ended-thread.ts";
import type { Place } from "../../model/place.ts";
import { type CsvTable, type Row, isCsvRow } from "../../model/record.ts";
import { type EndCause, NotLoaded, causeOf, endedFailure, faultOf } from "./thread-end.ts";
import {
  type BatchAnswer,
  type CallBatch,
  DEFAULT_FUNCTION_TIMEOUT,
  type FunctionWork,
  type LoadAnswer,
  type LoadedFunction,
  NO_CALL,
  NO_ROW,
  PROGRESS,
  type UncaughtAnswer,
} from "./function-messages.ts";

/** Settings for the execution of functions, independent of the module. */
export interface FunctionSettings {
  /** Time limit for one call, in seconds. Loading the module may take `LOAD_FACTOR` times as long. */
  readonly timeoutSeconds?: number | undefined;
  /** Running calls end `STOP_GRACE_MS` after this signal aborts. */
  readonly signal?: AbortSignal | undefined;
}

export interface FunctionModule extends FunctionSettings {
  readonly file: string;
  /** The place in the mapping where the module is named. */
  readonly place: Place;
}

const LOAD_FACTOR = 10;

/** After the first SIGINT or SIGTERM, a command ends within twice this time, even if its functions never return. */
const STOP_GRACE_MS = 1000;

const CHECK_INTERVAL_MS = 100;

/**
 * V8's own limit on the thread's memory. If one large allocation exceeds this limit, V8 ends the whole process. The two
 * limits below end the thread before that happens.
 */
const HEAP_MB = 4096;

/**
 * Limit on the thread's heap and buffers, checked after each batch. V8 may keep up to four times as much garbage as
 * used memory.
 */
const MAX_BYTES = 2 * 2 ** 30;

/** Limit on the memory growth of the whole process during one batch. */
const MAX_GROWTH_BYTES = 2 ** 30;

/** A pending answer from the thread. `calls` is empty while the module is loading. */
interface Waiting {
  readonly calls: readonly FunctionCall[];
  /** Declared as a method, because each answer has a different type. */
  answer(answer: unknown): void;
  readonly fail: (error: Error) => void;
}

/**
 * Loads a module of functions into its own thread, so that no function can end, block or change the program.
 * `process.exit` or an endless loop ends only that thread, and the failure names the function. The calling thread never
 * waits synchronously, so that signals and timers continue to work.
 * @throws NotLoaded with the reason; Failure `incomplete` if the signal is aborted
 */
export async function startFunctions(module: FunctionModule): Promise<MappingFunctions> {
  const thread = startThread(module);
  const loaded = await thread.ask<LoadAnswer>([]);
  if ("thrown" in loaded) {
    await thread.end();
    const [reason = ""] = (loaded.thrown.message ?? "").split("\n");
    throw new NotLoaded(reason, loaded.isSyntax);
  }
  const pack = batchPacker(loaded.functions);
  return {
    names: loaded.functions.map(({ name }) => name),
    close: thread.end,
    async evaluate(calls): Promise<readonly CallResult[]> {
      const results: CallResult[] = [];
      // The thread ends a batch early if its results are long.
      while (results.length < calls.length) {
        const rest = calls.slice(results.length);
        const { values, fault } = await thread.ask<BatchAnswer>(rest, pack(rest));
        for (const value of values) results.push(value);
        if (fault !== undefined) return [...results, faultOf(fault, module.file)];
      }
      return results;
    },
  };
}

function startThread(module: FunctionModule) {
  const { port1: port, port2 } = new MessageChannel();
  const progress = new SharedArrayBuffer(8);
  const done = new Int32Array(progress).fill(NO_CALL);
  const workerData: FunctionWork = { module: pathToFileURL(module.file).href, port: port2, progress };
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
  const entry = new URL("./function-worker.js", import.meta.url);
  const worker = new Worker(entry, { workerData, transferList: [port2], stdout: true, resourceLimits });
  const waiting: Waiting[] = [];
  let wrong: Error | undefined;

  /** Ends the thread and rejects all pending answers. */
  const endWith = (cause: EndCause): void => {
    wrong ??= endedFailure(cause, { ...module, waiting: waiting[0]?.calls, call: Atomics.load(done, PROGRESS.call) });
    watch.stop();
    for (const one of waiting.splice(0)) one.fail(wrong);
    void worker.terminate();
  };
  const { timeoutSeconds = DEFAULT_FUNCTION_TIMEOUT } = module;
  const watch = watchCalls(done, timeoutSeconds * 1000, endWith);
  const stop = (): void => {
    setTimeout(() => endWith({ kind: "stopped" }), STOP_GRACE_MS).unref();
  };

  worker.on("error", (error: unknown) => endWith(causeOf(error)));
  worker.on("exit", (code) => endWith({ kind: "exited", code }));
  port.on("message", (answer: BatchAnswer | LoadAnswer | UncaughtAnswer) => {
    if ("uncaught" in answer) endWith({ kind: "uncaught", thrown: answer.uncaught });
    else if ("usedBytes" in answer && answer.usedBytes > MAX_BYTES) endWith({ kind: "memory" });
    else {
      waiting.shift()?.answer(answer);
      watch.next(waiting[0]);
    }
  });
  // While a run waits for an answer, the timer of `watchCalls` keeps the process alive. An idle thread does not.
  worker.unref();
  port.unref();
  module.signal?.addEventListener("abort", stop);
  if (module.signal?.aborted === true) stop();

  return {
    /** Answers arrive in the order of the messages. */
    ask: <Answer>(calls: readonly FunctionCall[], message?: CallBatch) =>
      new Promise<Answer>((resolve, reject) => {
        if (wrong !== undefined) {
          reject(wrong);
          return;
        }
        waiting.push({ calls, answer: resolve, fail: reject });
        if (waiting.length === 1) watch.next(waiting[0]);
        if (message !== undefined) port.postMessage(message);
      }),
    end: async (): Promise<void> => {
      module.signal?.removeEventListener("abort", stop);
      wrong ??= new Error("the functions of the mapping are closed");
      watch.stop();
      await endThread(worker, module.signal);
    },
  };
}

/**
 * Ends the thread if a call exceeds the time limit, or if the process grows by more than `MAX_GROWTH_BYTES`. Counts
 * only the time during which this thread was able to check, so that a suspended computer or a debugger does not end a
 * call.
 */
function watchCalls(done: Int32Array, timeoutMs: number, endWith: (cause: EndCause) => void) {
  let timer: NodeJS.Timeout | undefined;
  let limitMs = timeoutMs;
  let count = 0;
  let spentMs = 0;
  let lookedAt = 0;
  let bytesBefore: number | undefined;

  const restart = (): void => {
    [count, spentMs, lookedAt] = [Atomics.load(done, PROGRESS.count), 0, performance.now()];
  };
  const look = (): void => {
    if (Atomics.load(done, PROGRESS.count) !== count) restart();
    const now = performance.now();
    spentMs += Math.min(now - lookedAt, 2 * CHECK_INTERVAL_MS);
    lookedAt = now;
    const bytes = process.memoryUsage.rss();
    bytesBefore ??= bytes;
    if (spentMs >= limitMs) endWith({ kind: "timeout", limitMs });
    else if (bytes - bytesBefore > MAX_GROWTH_BYTES) endWith({ kind: "memory" });
  };
  return {
    /** Watches this pending answer instead of the previous one. Pass undefined if no answer is pending. */
    next(waiting: Waiting | undefined): void {
      clearInterval(timer);
      timer = undefined;
      if (waiting === undefined) return;
      limitMs = waiting.calls.length === 0 ? timeoutMs * LOAD_FACTOR : timeoutMs;
      bytesBefore = undefined;
      restart();
      timer = setInterval(look, Math.min(CHECK_INTERVAL_MS, timeoutMs));
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Returns a function that packs calls for the function thread. It includes rows only for functions that may read their
 * row, and each header only once.
 */
function batchPacker(loaded: readonly LoadedFunction[]): (calls: readonly FunctionCall[]) => CallBatch {
  const positions = new Map(loaded.map(({ name }, position) => [name, position]));
  const usesRow = loaded.map(({ source }) => mayReadRow(source));
  const headers = new Map<CsvTable, number>();
  return (calls) => {
    const functions: number[] = [];
    const texts: string[] = [];
    const rowOf: number[] = [];
    const rows: (readonly string[] | JsonObject)[] = [];
    const headerOf: number[] = [];
    const newHeaders: (readonly string[])[] = [];
    let last: Row | undefined;
    for (const { name, text, row } of calls) {
      const position = positions.get(name) ?? 0;
      functions.push(position);
      texts.push(text);
      const isWanted = usesRow[position] === true;
      if (isWanted && row !== last) {
        last = row;
        rows.push(isCsvRow(row) ? row.cells : row.value);
        headerOf.push(isCsvRow(row) ? headerNumber(row.table, headers, newHeaders) : NO_ROW);
      }
      rowOf.push(isWanted ? rows.length - 1 : NO_ROW);
    }
    return { functions, texts, rowOf, rows, headerOf, newHeaders };
  };
}

function headerNumber(table: CsvTable, known: Map<CsvTable, number>, added: (readonly string[])[]): number {
  const number = known.get(table);
  if (number !== undefined) return number;
  const names = table.columns.map((name, index) => (table.columnIndex.get(name) === index ? name : ""));
  added.push(names);
  known.set(table, known.size);
  return known.size - 1;
}

/** A function or arrow function with at most one parameter, which has no default and no destructuring. */
const ONE_PARAMETER = /^(?:function\s*[\w$]*\s*\(\s*[\w$]*\s*\)|\(\s*[\w$]*\s*\)\s*=>|[\w$]+\s*=>)/;

/** Other ways to access the second argument of a function. */
const OTHER_WAYS = /\barguments\b|\beval\b|\\u|\[native code\]/;

/**
 * Whether a function could read its row. If so, the row must be copied to the thread. False only if the source of the
 * function shows that it cannot access its second argument.
 */
export function mayReadRow(source: string): boolean {
  return !ONE_PARAMETER.test(source) || OTHER_WAYS.test(source);
}
