import { Failure } from "../../model/failure.ts";
import type { RecordedValues } from "../../options/option-row.ts";
import type { RecordedPace, TARGET } from "../../options/target-options.ts";

/** The platform of a run and how to connect to it. Plain data: stored with the run, without secrets. */
export interface TargetSettings extends RecordedValues<typeof TARGET> {
  /** The flags that select this target again, as separate arguments of a command. */
  readonly flags: readonly string[];
  /** Whether sending requires confirmation. */
  readonly production: boolean;
}

export interface RateLimitSettings extends RecordedPace {
  /**
   * Whether to wait until an import supplier that is Paused or Complete accepts records again. There is no time limit
   * without `forMs`.
   */
  readonly waitForSupplier?: { readonly forMs?: number | undefined } | undefined;
  /** Whether to keep trying, as in an outage, if the platform cannot be reached at the start. */
  readonly wait?: boolean | undefined;
}

export const DEFAULT_PACE: RateLimitSettings = { concurrency: "auto", maxConcurrency: 16 };

/**
 * Returns the target.
 * @param purpose completes the message, such as `to push to`
 * @throws Failure `usage` if the settings name no platform
 */
export function requireTarget(target: TargetSettings | undefined, purpose: string): TargetSettings {
  if (target !== undefined) return target;
  throw new Failure("usage", `the platform ${purpose} is not set`, {
    hint: "pass --base-url https://.../v1/, or --target with a target from the configuration file",
  });
}
