import { readFile, stat } from "node:fs/promises";
import { Failure } from "../model/failure.ts";
import type { SecretFiles, Secrets } from "../run/parts.ts";

/**
 * Credentials: `MIGRATE_TOKEN` and `MIGRATE_API_KEY` from the environment, else the files that the target's
 * configuration names.
 * @throws Failure `config` when such a file can be read by others than its owner
 */
export async function readSecrets(environment: NodeJS.ProcessEnv, files: SecretFiles): Promise<Secrets> {
  const token = environment["MIGRATE_TOKEN"] || (await readSecret(files.tokenFile));
  const apiKey = environment["MIGRATE_API_KEY"] || (await readSecret(files.apiKeyFile));
  return { ...(token && { token }), ...(apiKey && { apiKey }) };
}

async function readSecret(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const status = await stat(file).catch(() => undefined);
  if (status === undefined)
    throw new Failure("config", `the credentials file ${file} cannot be read`, {
      hint: "check its path in the configuration file, and that you may read it",
    });
  if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
    throw new Failure("config", `others may read the credentials file ${file}`, {
      hint: `let nobody else read it: \`chmod 600 ${file}\``,
    });
  }
  return (await readFile(file, "utf8")).trim();
}
