import { fstatSync, readFileSync } from "node:fs";
import { unlessMissing } from "../../../files/error-code.ts";
import { withFile } from "../../../files/open-file.ts";
import { Failure } from "../../../model/failure.ts";

/** The connection that a line must match. */
export interface PasswordFor {
  readonly host: string;
  readonly port: number;
  readonly dbname: string;
  readonly user: string;
}

/**
 * Reads the password for a connection from a file with lines `host:port:database:user:password` (PostgreSQL manual,
 * "The Password File"). A field may be `*`, and `\` escapes `:` and `\`. Returns undefined if no line matches or if
 * there is no file. Does not use the package `pgpass`, because that package takes the file's name only from the
 * environment, and writes to stderr.
 * @throws Failure `config` for a file that other users can access, which libpq would ignore, and for a file that is not
 * a regular file
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

/** Returns the host as written in the file: `localhost` for sockets in the usual folders. */
function hostInFile(host: string): string {
  return host === "/var/run/postgresql" || host === "/tmp" ? "localhost" : host;
}

function fieldsOf(line: string): readonly string[] {
  const [...fields] = line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g);
  return fields.map(([, field = ""]) => field.replaceAll(/\\(.)/g, "$1"));
}

function readPrivately(file: string): string {
  return withFile(file, (descriptor) => {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Failure("config", `the password file ${file} is not a regular file`);
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      throw new Failure("config", `other users can access the password file ${file}`, {
        hint: `remove access for other users: \`chmod 600 ${file}\``,
      });
    }
    return readFileSync(descriptor, "utf8");
  });
}
