import { type Check, failed, failedBy, ok, warning } from "../../commands/doctor/check.ts";
import { FAILURES, recoverSync } from "../../model/failure.ts";
import { suggest } from "../../text/suggestion.ts";
import { environmentNotices, type ProcessSettings } from "./environment.ts";

/** @param required the supported Node.js versions of the package, such as `^20.19.0 || >=22.12.0` */
export function nodeCheck(version: string, required: string): Check {
  const text = `Node.js ${version}`;
  if (!isWithin(version, required)) {
    return failed("node", `${text}; ${required} is required`, {
      exitCode: FAILURES.usage,
      fix: "install a newer Node.js",
    });
  }
  if (version.startsWith("20.")) {
    return warning("node", `${text}, which has reached its end of life`, { fix: "install Node.js 22 or newer" });
  }
  return ok("node", text);
}

/** Whether a version is in a range. Supports only the syntax in the manifest of this package: `^`, `>=` and `||`. */
function isWithin(version: string, ranges: string): boolean {
  const found = numbersOf(version);
  return ranges.split("||").some((range) => {
    const [, mark, least = ""] = /^\s*(\^|>=)\s*([\d.]+)\s*$/.exec(range) ?? [];
    const wanted = numbersOf(least);
    const different = wanted.findIndex((number, at) => number !== found[at]);
    const isNewer = different === -1 || (found[different] ?? 0) > (wanted[different] ?? 0);
    return mark !== undefined && isNewer && (mark === ">=" || found[0] === wanted[0]);
  });
}

function numbersOf(version: string): readonly number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10));
}

/** Checks how environment variables would affect a push. */
export function environmentCheck(settings: ProcessSettings, known: readonly string[]): Check {
  const check = (): Check => {
    const notices = [...unknownVariables(settings.env, known), ...environmentNotices(settings)];
    return notices.length === 0
      ? ok("environment", "no unknown MIGRATE_ variable, and no setting that weakens a connection")
      : warning("environment", notices.join("; "), {
          fix: "correct the misspelt names, and remove the other settings if they are not intended",
        });
  };
  return recoverSync(check, (failure) => failedBy("environment", failure));
}

/**
 * Returns a notice for each variable that has the prefix of this program but that no command reads, for example because
 * of a typo.
 */
export function unknownVariables(env: NodeJS.ProcessEnv, known: readonly string[]): readonly string[] {
  // The common prefix would make all names similar.
  const unknown = namesAfterPrefix(Object.keys(env).filter((name) => !known.includes(name)));
  return unknown.map((name) => {
    const near = suggest(name, namesAfterPrefix(known));
    const guess = near === undefined ? "" : `; did you mean "${PREFIX}${near}"?`;
    return `${PREFIX}${name} is set, but no command reads it${guess}`;
  });
}

const PREFIX = "MIGRATE_";

function namesAfterPrefix(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
}
