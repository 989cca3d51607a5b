/** Returns the `code` of an error, such as `ENOENT` or `ERR_MODULE_NOT_FOUND`; undefined if it is not a string. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Calls `work` and returns its result; undefined if a file that `work` needs does not exist. */
export function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Calls `work` and returns its result; undefined if it fails. */
export function unlessFailing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns the reason why a server cannot listen at its address, as the end of a sentence. */
export function listenError(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return "the address cannot be used";
  return LISTEN_ERRORS.get(code) ?? `the address cannot be used (${code})`;
}

const LISTEN_ERRORS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "another program is already listening there"],
  ["EACCES", "this user is not allowed to listen there"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["ENOTFOUND", "there is no such host"],
]);
