import { errorCode } from "./error-code.ts";

/** Why a server cannot listen at its address, as the end of a sentence. */
export function listenError(error: unknown): string {
  const code = errorCode(error) ?? "";
  return LISTEN_ERRORS.get(code) ?? `cannot listen on this address (${code})`;
}

const LISTEN_ERRORS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "another program is already listening there"],
  ["EACCES", "this user is not allowed to listen there"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["ENOTFOUND", "there is no such host"],
]);
