import { Failure } from "../model/failure.ts";
import type { TransportError } from "./http.ts";

/**
 * What a request means that no proxy let through, where waiting would not help: the proxy says no, or is not there at
 * all. Undefined where that was not why, or may pass.
 */
export function proxyFailure(error: TransportError, origin: string): Failure | undefined {
  const [, code] = /^PROXY_(4\d\d|ENOTFOUND)$/.exec(error.code) ?? [];
  if (code === undefined || PASSING.has(code)) return undefined;
  const said = code === "ENOTFOUND" ? "cannot be found" : `lets nothing through to ${origin} (HTTP ${code})`;
  return new Failure("config", `the proxy ${said}`, {
    hint:
      code === "407"
        ? "put user:password into MIGRATE_PROXY_CREDENTIALS"
        : "check --proxy, MIGRATE_PROXY, or the target's `proxy`; leave it out to connect directly",
    cause: error,
  });
}

const PASSING: ReadonlySet<string> = new Set(["408", "429"]);
