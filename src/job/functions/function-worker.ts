import { EventEmitter } from "node:events";
import { types } from "node:util";
import { getHeapStatistics } from "node:v8";
import { workerData } from "node:worker_threads";
import type { JsonScalar, JsonValue } from "../../json/json-value.ts";
import {
  type BatchAnswer,
  type CallBatch,
  type Fault,
  type FunctionWork,
  type LoadAnswer,
  type LoadedFunction,
  MAX_CHARACTERS,
  NO_CALL,
  NO_ROW,
  PROGRESS,
  type ThrownError,
  type UncaughtAnswer,
} from "./function-messages.ts";
import { redirectOutput } from "./function-output.ts";
import { refuseCalls, RefusedCallError } from "./refused-calls.ts";

/**
 * The thread for a mapping's functions. If functions change built-in objects, exit, block or exhaust memory, only this
 * thread is affected. The code here must still work after such a change, so it uses no method that the module could
 * have replaced. It captures the methods that it needs before it loads the module, and iterates over lists by index.
 */
const { module, port, progress }: FunctionWork = workerData;
const done = new Int32Array(progress);
const { apply } = Reflect;
const { keys, create, getPrototypeOf, prototype: plainPrototype } = Object;
const { isArray } = Array;
const { isFinite } = Number;
const { store } = Atomics;
const { isPromise, isNativeError } = types;
const post: (answer: LoadAnswer | BatchAnswer | UncaughtAnswer) => void = port.postMessage.bind(port);
/**
 * Keeps the thread alive until it is terminated. Otherwise, the thread could end by itself before its answer arrives.
 */
const hold: () => void = port.ref.bind(port);
const later = setImmediate;
// Called with `apply`, which sets `this`.
// oxlint-disable-next-line typescript/unbound-method
const sourceOf = Function.prototype.toString;
// oxlint-disable-next-line typescript/unbound-method
const { then } = Promise.prototype;
const nothing = (): void => undefined;

type AnyFunction = (...given: unknown[]) => unknown;

/** Approximate maximum number of characters in the results of one answer. */
const MAX_IN_ANSWER = 8 * MAX_CHARACTERS;

const functions: AnyFunction[] = [];
const headers: (readonly string[])[] = [];
let count = 0;
let isUncaught = false;
/** Number of characters in the current result. */
let length = 0;

redirectOutput();
refuseCalls();

// Handles errors outside any call. The default handler of Node.js uses built-in objects and ends the whole process if
// the module has broken them.
process.setUncaughtExceptionCaptureCallback(answerUncaught);
// Also called with `apply`.
// oxlint-disable-next-line typescript/unbound-method
const { emit } = EventEmitter.prototype;
const fixed: Readonly<Record<string, unknown>> = {
  emit: (...given: unknown[]): unknown =>
    given[0] === "unhandledRejection" ? answerUncaught(given[1]) : apply(emit, process, given),
  setUncaughtExceptionCaptureCallback: nothing,
  _fatalException: Reflect.get(process, "_fatalException"),
};
for (const name of keys(fixed)) {
  Object.defineProperty(process, name, { value: fixed[name], writable: false, configurable: false });
}

// Removed so that the module cannot answer on behalf of this thread.
delete workerData.port;
await load();

/**
 * Reports an error from a timer or an unhandled promise rejection. Returns true, so that Node.js does not handle the
 * error.
 */
function answerUncaught(error: unknown): true {
  if (isUncaught) return true;
  isUncaught = true;
  hold();
  post({ uncaught: thrownError(error) });
  return true;
}

async function load(): Promise<void> {
  try {
    const loaded: Readonly<Record<string, unknown>> = await import(module);
    const named: LoadedFunction[] = [];
    const names = keys(loaded);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] ?? "";
      const exported = loaded[name];
      if (!isFunction(exported)) continue;
      named[functions.length] = { name, source: apply(sourceOf, exported, []) };
      functions[functions.length] = exported;
    }
    port.on("message", evaluate);
    post({ functions: named });
  } catch (error) {
    hold();
    post({ thrown: thrownError(error), isSyntax: error instanceof SyntaxError });
  }
}

function evaluate(batch: CallBatch): void {
  for (let at = 0; at < batch.newHeaders.length; at += 1) headers[headers.length] = batch.newHeaders[at] ?? [];
  const values: (JsonValue | undefined)[] = [];
  let fault: Fault | undefined;
  let inAnswer = 0;
  for (let at = 0; at < batch.functions.length && fault === undefined && inAnswer < MAX_IN_ANSWER; at += 1) {
    store(done, PROGRESS.call, at);
    count = (count + 1) | 0;
    store(done, PROGRESS.count, count);
    length = 0;
    fault = call(batch, at, values);
    inAnswer += length;
  }
  store(done, PROGRESS.call, NO_CALL);
  // Deferred, so that a rejected promise that a call has left behind is reported first.
  later(answer, values, fault);
}

function answer(values: BatchAnswer["values"], fault: Fault | undefined): void {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  post({ values, fault, usedBytes: heap + buffers });
}

function call(batch: CallBatch, at: number, values: (JsonValue | undefined)[]): Fault | undefined {
  const called = functions[batch.functions[at] ?? 0] ?? nothing;
  const text = batch.texts[at];
  const row = batch.rowOf[at] ?? NO_ROW;
  let returned: unknown;
  try {
    returned = row === NO_ROW ? called(text) : called(text, rowView(batch, row));
  } catch (error) {
    if (error instanceof RefusedCallError) return { kind: "refused", called: error.called };
    return { kind: "threw", thrown: thrownError(error) };
  }
  return keep(returned, at, values);
}

function keep(returned: unknown, at: number, values: (JsonValue | undefined)[]): Fault | undefined {
  if (typeof returned === "string" || returned === undefined || returned === null) {
    length = typeof returned === "string" ? returned.length : 0;
    if (length > MAX_CHARACTERS) return { kind: "long" };
    values[at] = returned === "" || returned === null ? undefined : returned;
    return undefined;
  }
  if (isPromise(returned)) {
    // Ignores how the promise settles.
    void apply(then, returned, [nothing, nothing]);
    return { kind: "promise" };
  }
  try {
    values[at] = copyOf(returned, []);
    return undefined;
  } catch (error) {
    if (error instanceof NotJson) return { kind: error.kind };
    return { kind: "unreadable", thrown: thrownError(error) };
  }
}

/**
 * Returns the row as an object. For CSV, the object has one member per column, and a missing cell is "". Each call gets
 * its own copy.
 */
function rowView(batch: CallBatch, row: number): unknown {
  const content = batch.rows[row];
  const header = headers[batch.headerOf[row] ?? NO_ROW];
  if (header === undefined || !isArray(content)) return content;
  const view: Record<string, string> = create(null);
  for (let column = 0; column < header.length; column += 1) {
    const name = header[column] ?? "";
    if (name !== "") view[name] = content[column] ?? "";
  }
  return view;
}

class NotJson {
  readonly kind: "not JSON" | "cyclic" | "nested" | "long";
  constructor(kind: NotJson["kind"]) {
    this.kind = kind;
  }
}

/** Maximum nesting of a result: more than any mapping or contract needs. */
const MAX_LEVELS = 200;

/** Returns a copy without references to objects of the module. @throws NotJson, and any error from reading the value */
function copyOf(value: unknown, within: readonly unknown[]): JsonValue {
  grow(typeof value === "string" ? value.length : 1);
  if (isScalar(value)) return value;
  if (!isObject(value)) throw new NotJson("not JSON");
  const around = withAncestor(value, within);
  if (isArray(value)) {
    const items: JsonValue[] = [];
    for (let at = 0; at < value.length; at += 1) items[at] = copyOf(value[at], around);
    return items;
  }
  const prototype: unknown = getPrototypeOf(value);
  if (prototype !== plainPrototype && prototype !== null) throw new NotJson("not JSON");
  const members: Record<string, JsonValue> = create(null);
  const names = keys(value);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? "";
    grow(name.length);
    members[name] = copyOf(value[name], around);
  }
  return members;
}

function grow(characters: number): void {
  length += characters;
  if (length > MAX_CHARACTERS) throw new NotJson("long");
}

function withAncestor(value: unknown, within: readonly unknown[]): readonly unknown[] {
  if (within.length >= MAX_LEVELS) throw new NotJson("nested");
  const around: unknown[] = [];
  for (let at = 0; at < within.length; at += 1) {
    if (within[at] === value) throw new NotJson("cyclic");
    around[at] = within[at];
  }
  around[within.length] = value;
  return around;
}

function isScalar(value: unknown): value is JsonScalar {
  if (typeof value === "number") return isFinite(value);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === "function";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Returns the readable parts of any thrown value. Handles a value that throws an error when it is read. */
function thrownError(error: unknown): ThrownError {
  try {
    if (!isNativeError(error)) return {};
    const { name, message, stack } = error;
    return { name: textOf(name), message: textOf(message), stack: textOf(stack) };
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
