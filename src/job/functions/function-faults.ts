import path from "node:path";
import { CallFault } from "../../model/call-result.ts";
import { type Fault, MAX_CHARACTERS, type RefusedCall, type ThrownError } from "./function-messages.ts";

const RETURNS = "a function must return text, a number, true, false or nothing, or an object or list of these";

/** Describes why a call has no result. The text of an error is omitted, because it may quote a cell. */
export function faultOf(fault: Fault, file: string): CallFault {
  if (fault.kind === "threw") return new CallFault(`failed${placeInModule(fault.thrown, file)}`, "fix the function");
  if (fault.kind === "unreadable")
    return new CallFault(`returned an object that cannot be read${placeInModule(fault.thrown, file)}`, RETURNS);
  if (fault.kind === "refused") return new CallFault(`called ${fault.called}`, REMOVE_CALL[fault.called]);
  const hint = fault.kind === "promise" ? `functions are synchronous: ${RETURNS}` : RETURNS;
  return new CallFault(REFUSED[fault.kind], hint);
}

const REMOVE_CALL: Readonly<Record<RefusedCall, string>> = {
  "process.kill": "remove process.kill from the function",
  "process.abort": "remove process.abort from the function",
  "new Worker": "functions cannot start threads: do the work in the function itself",
  "fs.close": "close only files that the function has opened",
};

const REFUSED: Readonly<Record<Exclude<Fault["kind"], "threw" | "unreadable" | "refused">, string>> = {
  promise: "returned a promise",
  "not JSON": "returned a value that is not JSON",
  cyclic: "returned an object that contains itself",
  nested: "returned an object that is too deeply nested",
  long: `returned more than ${MAX_CHARACTERS.toLocaleString("en")} characters`,
};

/** The error's class and the innermost line in the user's own modules, if known: ` (TypeError in functions.mjs:3)`. */
export function placeInModule({ name, stack = "" }: ThrownError, file: string): string {
  const kind = name !== undefined && /^[A-Z]\w{0,40}$/.test(name) ? name : "an error";
  const folder = path.dirname(file);
  const frames = [...stack.matchAll(/(?:file:\/\/|\()?(\/[^\s():]+|[A-Z]:[^\s():]+):(\d+):\d+\)?$/gm)];
  const own = frames.find(([, at = ""]) => at.startsWith(folder) && !at.includes("node_modules"));
  return own === undefined ? ` (${kind})` : ` (${kind} in ${path.relative(folder, own[1] ?? "")}:${own[2]})`;
}
