import { readFileSync } from "node:fs";
import path from "node:path";
import { unlessMissing } from "../../../files/error-code.ts";
import { Failure } from "../../../model/failure.ts";
import { PARAMETERS, type Parameters } from "./postgres-url.ts";

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The parameters of a service. Unlike a URL, a service may contain a password. */
export type ServiceParameters = Parameters & { readonly password?: string };

/**
 * Reads a service from the files that libpq uses (PostgreSQL manual, "The Connection Service File"): `PGSERVICEFILE` or
 * `~/.pg_service.conf`, then `pg_service.conf` in `PGSYSCONFDIR`.
 * @throws Failure `config` if none of these files contains the service, or if a file is invalid
 */
export function readService(name: string, { variables, home }: Environment): ServiceParameters {
  const own = variables["PGSERVICEFILE"] || path.join(home, ".pg_service.conf");
  const folder = variables["PGSYSCONFDIR"];
  const files = [own, ...(folder === undefined ? [] : [path.join(folder, "pg_service.conf")])];
  for (const file of files) {
    const text = unlessMissing(() => readFileSync(file, "utf8"));
    const found = text === undefined ? undefined : sectionOf(text, name, file);
    if (found !== undefined) return found;
  }
  throw new Failure("config", `the service ${name} is not defined in ${files.join(", nor in ")}`, {
    hint: "set PGSERVICEFILE to use another service file",
  });
}

/**
 * Parses the section of a service, which begins with `[name]`. Each of its lines is `parameter=value`, without quotes.
 */
function sectionOf(text: string, name: string, file: string): ServiceParameters | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const begin = lines.indexOf(`[${name}]`);
  if (begin === -1) return undefined;
  const section: Record<string, string> = {};
  for (const [index, line] of lines.slice(begin + 1).entries()) {
    if (line.startsWith("[")) break;
    if (line === "" || line.startsWith("#")) continue;
    const [, parameter = "", value = ""] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    if (!isParameter(parameter)) throw badLine(file, begin + index + 2);
    section[parameter] ??= value;
  }
  return section;
}

function isParameter(name: string): boolean {
  return name === "password" || (name !== "service" && PARAMETERS.some((parameter) => parameter === name));
}

function badLine(file: string, line: number): Failure {
  return new Failure("config", `${file}:${line}: this line sets no known parameter`, {
    place: { file, line },
    hint: `each line has the form name=value; valid parameters: ${PARAMETERS.filter((name) => name !== "service").join(", ")}, password`,
  });
}
