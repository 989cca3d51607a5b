import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { SecretFiles, Secrets } from "../job/dependencies.ts";
import { errorCode } from "../files/error-code.ts";
import { Failure } from "../model/failure.ts";

/**
 * Reads credentials from `MIGRATE_TOKEN` and `MIGRATE_API_KEY` in the environment. If neither is set, reads the files
 * that the target's configuration names.
 * @throws Failure `config` for a file that cannot be read, is empty or too large, or is not a regular file accessible
 * only to its owner; and for an invalid credential: longer than 16 KiB, or with a control character
 */
export async function readSecrets(environment: NodeJS.ProcessEnv, files: SecretFiles): Promise<Secrets> {
  return chooseSecrets({ token: environment["MIGRATE_TOKEN"], apiKey: environment["MIGRATE_API_KEY"] }, files);
}

/** Returns the given credentials. If none are given, reads credentials from the files. */
export async function chooseSecrets(
  { token, apiKey }: { readonly [Name in keyof Secrets]: Secrets[Name] | undefined },
  files: SecretFiles,
): Promise<Secrets> {
  const given = secretsFrom(token, apiKey);
  const found = isAnySet(given)
    ? given
    : secretsFrom(
        await readSecret(files.tokenFile, NAME_FILE_HINT),
        await readSecret(files.apiKeyFile, NAME_FILE_HINT),
      );
  requireUsable("token", found.token);
  requireUsable("API key", found.apiKey);
  return found;
}

/** Maximum size of a secret. It suffices for any token, because the header limit of servers is 8 to 16 KiB. */
const MAX_SECRET_BYTES = 16 * 1024;

/**
 * Maximum size of a credentials file. This leaves room for whitespace around the secret, and for the two fields of a
 * store's credentials.
 */
const MAX_FILE_BYTES = 4 * MAX_SECRET_BYTES;

function requireUsable(name: string, secret = ""): void {
  const fault =
    Buffer.byteLength(secret) > MAX_SECRET_BYTES
      ? "is longer than 16 KiB"
      : /\p{Cc}/u.test(secret.trim())
        ? "contains a line break, a NUL or another control character"
        : undefined;
  if (fault === undefined) return;
  throw new Failure("config", `the ${name} ${fault}`, {
    hint: "provide only the credential, as the platform issued it, in the environment variable or the file named in `auth`",
  });
}

/**
 * Returns where `readSecrets` finds each credential: the name of an environment variable, or the path of a file. Does
 * not open files.
 */
export function secretOrigins(
  environment: NodeJS.ProcessEnv,
  { tokenFile, apiKeyFile }: SecretFiles,
): Readonly<Partial<Record<keyof Secrets, string>>> {
  const set = secretsFrom(environment["MIGRATE_TOKEN"], environment["MIGRATE_API_KEY"]);
  if (!isAnySet(set)) return { ...(tokenFile && { token: tokenFile }), ...(apiKeyFile && { apiKey: apiKeyFile }) };
  return { ...(set.token && { token: "MIGRATE_TOKEN" }), ...(set.apiKey && { apiKey: "MIGRATE_API_KEY" }) };
}

function isAnySet(secrets: Secrets): boolean {
  return Object.keys(secrets).length > 0;
}

/** Returns the secrets that are not empty. */
function secretsFrom(token: string | undefined, apiKey: string | undefined): Secrets {
  return { ...(token && { token }), ...(apiKey && { apiKey }) };
}

/**
 * Returns the trimmed content of a private file; undefined if no file is named.
 * @param hint how to choose another file
 * @throws Failure `config` for a file that cannot be read, is empty or too large, or is not a regular file accessible
 * only to its owner
 */
export async function readSecret(file: string | undefined, hint: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const secret = (await readPrivate(file, hint)).trim();
  if (secret !== "") return secret;
  throw new Failure("config", `the credentials file ${file} is empty`, { hint: "write the credential into this file" });
}

/** Opens the file, checks it, then reads the open file, so that the file cannot be replaced in between. */
async function readPrivate(file: string, hint: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((cause: unknown) => {
    throw unreadable(file, hint, cause);
  });
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new Failure("config", `the credentials file ${file} is not a regular file`, { hint });
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      throw new Failure("config", `other users can access the credentials file ${file}`, {
        hint: `remove access for other users: \`chmod 600 ${file}\``,
      });
    }
    if (status.size > MAX_FILE_BYTES) {
      throw new Failure("config", `the credentials file ${file} is larger than ${MAX_FILE_BYTES / 1024} KiB`, { hint });
    }
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

const NAME_FILE_HINT = "set `tokenFile` or `apiKeyFile` in the target's `auth` to the path of a regular file";

function unreadable(file: string, hint: string, cause: unknown): Failure {
  const code = errorCode(cause);
  if (code === "ELOOP") return new Failure("config", `the credentials file ${file} is a symbolic link`, { hint });
  const why = code === undefined ? "" : `: ${code}`;
  return new Failure("config", `the credentials file ${file} cannot be read${why}`, { hint, cause });
}
