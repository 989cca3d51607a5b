import { type NamingPlace, withNamingPlace } from "../../job/settings/naming-place.ts";
import { Failure } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";

/** One line of the doctor's answer. */
export interface Check {
  /** `contract`, `credentials`. */
  readonly name: string;
  /** `warning`: worth knowing, and nothing fails for it. `skipped`: not looked at; `text` says why. */
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly text: string;
  /** What mends it. */
  readonly fix?: string | undefined;
  /** What a command ends with for this; 0 unless it has failed. */
  readonly exitCode: number;
  /** What `text` counts, for programs. */
  readonly figures?: Readonly<Record<string, number>>;
}

type Figures = Pick<Check, "figures">;

export function ok(name: string, text: string, more: Figures = {}): Check {
  return { name, status: "ok", text, exitCode: 0, ...more };
}

export function warning(name: string, text: string, more: Figures & Pick<Check, "fix"> = {}): Check {
  return { name, status: "warning", text, exitCode: 0, ...more };
}

export function failed(
  name: string,
  text: string,
  more: Figures & Required<Pick<Check, "exitCode">> & Pick<Check, "fix">,
): Check {
  return { name, status: "failed", text, ...more };
}

export function skipped(name: string, why: string): Check {
  return { name, status: "skipped", text: why, exitCode: 0 };
}

/** What a command would end with, as a check. */
export function failedBy(name: string, { message, hint, place, exitCode }: Failure): Check {
  const where = place === undefined || message.startsWith(`${place.file}:`) ? "" : ` (${formatPlace(place)})`;
  return failed(name, message + where, { exitCode, fix: hint });
}

/**
 * A check and what it found; a failure on the way is a finding like any other, and hides no other check.
 * @param placeOf where a file is named that cannot be read
 */
export async function lookAt<Found = undefined>(
  name: string,
  look: () => Promise<{ readonly check: Check; readonly found?: Found }>,
  placeOf: NamingPlace = () => undefined,
): Promise<{ readonly check: Check; readonly found?: Found }> {
  try {
    return await withNamingPlace(placeOf, look);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { check: failedBy(name, error) };
  }
}
