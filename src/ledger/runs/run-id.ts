import { randomBytes } from "node:crypto";

/** Returns the id of a new run, such as `20261120-2341-7f3a` for a run that started at 2026-11-20T23:41:07.000Z. */
export function newRunId(startedAt: string): string {
  const digits = new Date(startedAt).toISOString().replace(/\D/g, "");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${randomBytes(2).toString("hex")}`;
}
