import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { SecretFiles, Secrets } from "../job/dependencies.ts";
import { errorCode } from "../files/error-code.ts";
import { Failure } from "../model/failure.ts";

/**
 * Credentials: `MIGRATE_TOKEN` and `MIGRATE_API_KEY` from the environment; where neither is set, from the files that
 * the target's configuration names.
 * @throws Failure `config` for such a file that is not a regular file of its owner alone, or is empty
 */
export async function readSecrets(environment: NodeJS.ProcessEnv, files: SecretFiles): Promise<Secrets> {
  return chooseSecrets({ token: environment["MIGRATE_TOKEN"], apiKey: environment["MIGRATE_API_KEY"] }, files);
}

/** The same for credentials that are at hand; where there are none, from the files. */
export async function chooseSecrets(
  { token, apiKey }: { readonly [Name in keyof Secrets]: Secrets[Name] | undefined },
  files: SecretFiles,
): Promise<Secrets> {
  const given = secretsFrom(token, apiKey);
  if (isAnySet(given)) return given;
  return secretsFrom(
    await readSecret(files.tokenFile, NAME_FILE_HINT),
    await readSecret(files.apiKeyFile, NAME_FILE_HINT),
  );
}

/** Where `readSecrets` finds each of them: the name of a variable, or of a file. Nothing is opened. */
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

/** An empty value is no credential. */
function secretsFrom(token: string | undefined, apiKey: string | undefined): Secrets {
  return { ...(token && { token }), ...(apiKey && { apiKey }) };
}

/**
 * What a private file holds, without the white space around it; undefined where no file is named.
 * @param hint how to name another one
 * @throws Failure `config` for a file that is not a regular file of its owner alone, or is empty
 */
export async function readSecret(file: string | undefined, hint: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const secret = (await readPrivate(file, hint)).trim();
  if (secret !== "") return secret;
  throw new Failure("config", `the credentials file ${file} is empty`, { hint: "write the credential into it" });
}

/** Checks the open file that it then reads, so that the file cannot be replaced in between. */
async function readPrivate(file: string, hint: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw unreadable(file, hint, cause);
    },
  );
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new Failure("config", `the credentials file ${file} is not a regular file`, { hint });
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      throw new Failure("config", `others may read the credentials file ${file}`, {
        hint: `let nobody else read it: \`chmod 600 ${file}\``,
      });
    }
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

const NAME_FILE_HINT = "name the file itself, in the target's `auth`";

function unreadable(file: string, hint: string, cause: unknown): Failure {
  const code = errorCode(cause);
  if (code === "ELOOP") return new Failure("config", `the credentials file ${file} is a symbolic link`, { hint });
  const why = code === undefined ? "" : `: ${code}`;
  return new Failure("config", `the credentials file ${file} cannot be read${why}`, { hint, cause });
}
