import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { Failure } from "../model/failure.ts";
import type { SecretFiles, Secrets } from "../run/parts.ts";

/**
 * Credentials: `MIGRATE_TOKEN` and `MIGRATE_API_KEY` from the environment; where neither is set, from the files that
 * the target's configuration names.
 * @throws Failure `config` for such a file that is not a regular file of its owner alone, or is empty
 */
export async function readSecrets(environment: NodeJS.ProcessEnv, files: SecretFiles): Promise<Secrets> {
  const set = credentials(environment["MIGRATE_TOKEN"], environment["MIGRATE_API_KEY"]);
  if (Object.keys(set).length > 0) return set;
  const [token, apiKey] = [await readSecret(files.tokenFile, NAME_FILE), await readSecret(files.apiKeyFile, NAME_FILE)];
  return credentials(token, apiKey);
}

/** An empty value is no credential. */
function credentials(token: string | undefined, apiKey: string | undefined): Secrets {
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

/** Looks at the file that is then read, not at whatever bears its name a moment later. */
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

const NAME_FILE = "name the file itself, in the target's `auth`";

function unreadable(file: string, hint: string, cause: unknown): Failure {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ELOOP") return new Failure("config", `the credentials file ${file} is a symbolic link`, { hint });
  const why = typeof code === "string" ? `: ${code}` : "";
  return new Failure("config", `the credentials file ${file} cannot be read${why}`, { hint, cause });
}
