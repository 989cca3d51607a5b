import { existsSync } from "node:fs";
import path from "node:path";
import { errorCode } from "../files/error-code.ts";
import { Failure } from "../model/failure.ts";

/** A limit of this machine that a process can reach at any time, even while it loads its own modules. */
interface SystemLimit {
  readonly message: string;
  readonly hint: string;
  readonly matches: (error: Error, code: string | undefined) => boolean;
}

const LIMITS: readonly SystemLimit[] = [
  {
    message: "the limit on open files is too low",
    hint: "raise the limit (`ulimit -n 1024`), then run the same command again",
    matches: (error, code) => code === "EMFILE" || code === "ENFILE" || isModuleThatExists(error, code),
  },
  {
    message: "there is too little address space for the network client",
    hint: "raise the limit (`ulimit -v unlimited`), or set NODE_OPTIONS=--disable-wasm-trap-handler",
    matches: ({ message }) => /^WebAssembly\..*(?:Cannot|could not) allocate/.test(message),
  },
  {
    message: "there is not enough memory",
    hint: "raise the memory limit (`ulimit -v`, or the container's limit), or free memory; then run the same command again",
    matches: (error, code) => MEMORY_CODES.has(code ?? "") || MEMORY_MESSAGE.test(error.message),
  },
  {
    message: "the operating system cannot create more threads",
    hint: "raise the process limit (`ulimit -u`, or the container's limit), then run the same command again",
    matches: (_error, code) => code === "ERR_WORKER_INIT_FAILED",
  },
];

const MEMORY_CODES: ReadonlySet<string> = new Set([
  "ENOMEM",
  "ERR_MEMORY_ALLOCATION_FAILED",
  "ERR_WORKER_OUT_OF_MEMORY",
]);

/** Messages of errors from V8, SQLite and the native module loader, which set no error codes. */
const MEMORY_MESSAGE = /allocation failed|out of memory|cannot allocate memory|failed to map segment/i;

/**
 * Whether a module exists even though Node.js reports it as missing. Node.js also reports a module as missing if it
 * cannot open the package.json of the module's package. The message then contains a path in the package.
 */
function isModuleThatExists({ message }: Error, code: string | undefined): boolean {
  const [, file] = /^Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  if (code !== "ERR_MODULE_NOT_FOUND" || file === undefined || !path.isAbsolute(file)) return false;
  return existsSync(file) || existsSync(path.join(path.dirname(file), "package.json"));
}

/**
 * Returns the failure `storage` if a limit of this machine caused the error, directly or as the cause of another
 * failure; undefined for any other error.
 */
export function limitFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) {
    const cause = limitFailure(error.cause);
    return cause && new Failure("storage", error.message, { ...(cause.hint && { hint: cause.hint }), cause: error });
  }
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  const limit = LIMITS.find(({ matches }) => matches(error, code));
  if (limit === undefined) return limitFailure(error.cause);
  const detail = code === undefined || code === "ERR_MODULE_NOT_FOUND" ? "" : ` (${code})`;
  return new Failure("storage", `${limit.message}${detail}`, { hint: limit.hint, cause: error });
}
