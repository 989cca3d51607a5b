import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { unlessMissing } from "../../../files/error-code.ts";
import { Failure } from "../../../model/failure.ts";

/** What a line of the file has to fit. */
export interface PasswordFor {
  readonly host: string;
  readonly port: number;
  readonly dbname: string;
  readonly user: string;
}

/**
 * The password for a connection from a file of lines `host:port:database:user:password` (PostgreSQL manual, 34.16); a
 * field may be `*`, and `\` stands before a `:` or `\` of its own. Undefined where no line fits, or there is no file.
 * Not the package `pgpass`: it takes the file's name from the environment alone, and writes to stderr.
 * @throws Failure `config` for a file that others may read, which libpq would pass over
 */
export function passwordFromFile(file: string, about: PasswordFor): string | undefined {
  const text = unlessMissing(() => readPrivately(file));
  const wanted = [hostInFile(about.host), String(about.port), about.dbname, about.user];
  for (const line of text?.split(/\r?\n/) ?? []) {
    if (line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    const fits = wanted.every((value, index) => fields[index] === "*" || fields[index] === value);
    if (fits && fields.length > wanted.length) return fields[wanted.length];
  }
  return undefined;
}

/** Sockets in the usual folders go by the name of `localhost`. */
function hostInFile(host: string): string {
  return host === "/var/run/postgresql" || host === "/tmp" ? "localhost" : host;
}

function fieldsOf(line: string): readonly string[] {
  const [...fields] = line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g);
  return fields.map(([, field = ""]) => field.replaceAll(/\\(.)/g, "$1"));
}

function readPrivately(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Failure("config", `the password file ${file} is not a regular file`);
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      throw new Failure("config", `others may read the password file ${file}`, {
        hint: `let nobody else read it: \`chmod 600 ${file}\``,
      });
    }
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
