import { Failure } from "../model/failure.ts";
import type { TargetSettings } from "../run/connection.ts";

/**
 * The platform that the settings name.
 * @param purpose `to push to`
 * @throws Failure `usage` when they name none
 */
export function namedTarget(target: TargetSettings | undefined, purpose: string): TargetSettings {
  if (target !== undefined) return target;
  throw new Failure("usage", `no platform is named ${purpose}`, {
    hint: "pass --base-url https://.../v1/, or --target with a target of the configuration file",
  });
}
