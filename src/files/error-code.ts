/** The code that the system gave an error (`ENOENT`, `EEXIST`); undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
