import { type NamingPlace, withNamingPlace } from "../../job/settings/naming-place.ts";
import { type Failure, recover } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";

/** The exit code of a command with invalid records. */
export const INVALID_EXIT_CODE = 1;

interface CheckDetails {
  /** How to fix the problem. */
  readonly fix?: string | undefined;
  /** Numbers about the checked subject, in machine-readable form. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** One line of the doctor's output. */
export interface Check extends CheckDetails {
  /** The subject, for example `contract` or `credentials`. */
  readonly name: string;
  /**
   * - `warning`: the check found a problem that does not make a command fail
   * - `skipped`: the check did not run; `text` states the reason
   */
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly text: string;
  /** The exit code of a command that encounters this problem; 0 if the check has not failed. */
  readonly exitCode: number;
}

export function ok(name: string, text: string, more: CheckDetails = {}): Check {
  return { name, status: "ok", text, exitCode: 0, ...more };
}

export function warning(name: string, text: string, more: CheckDetails = {}): Check {
  return { name, status: "warning", text, exitCode: 0, ...more };
}

export function failed(name: string, text: string, more: CheckDetails & { readonly exitCode: number }): Check {
  return { name, status: "failed", text, ...more };
}

export function skipped(name: string, why: string): Check {
  return { name, status: "skipped", text: why, exitCode: 0 };
}

/** Converts a failure that would end a command into a failed check. */
export function failedBy(name: string, { message, hint, place, exitCode }: Failure): Check {
  const where = place === undefined || message.startsWith(`${place.file}:`) ? "" : ` (${formatPlace(place)})`;
  return failed(name, message + where, { exitCode, fix: hint });
}

/**
 * Runs a check. Converts a failure into a failed check, so that the other checks still run.
 * @param placeOf returns the place at which the configuration names a file, for a file that cannot be read
 */
export function inspect<Found = undefined>(
  name: string,
  run: () => Promise<{ readonly check: Check; readonly found?: Found }>,
  placeOf?: NamingPlace,
): Promise<{ readonly check: Check; readonly found?: Found }> {
  return recover(
    () => withNamingPlace(placeOf, run),
    (failure) => ({ check: failedBy(name, failure) }),
  );
}

/** Runs a check that provides no data for other checks. */
export function checked(name: string, run: () => Promise<Check>): Promise<Check> {
  return recover(run, (failure) => failedBy(name, failure));
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** Formats a size as `91 kB`, in decimal units, as used for disks. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
