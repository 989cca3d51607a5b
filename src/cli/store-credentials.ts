import { Failure } from "../model/failure.ts";
import type { StoreCredentials } from "../store/s3-store.ts";
import { readSecret } from "./secrets.ts";

/**
 * The access key of a document store: from the environment variables that AWS's own tools read; where they are not
 * set, from a private file of the form of `~/.aws/credentials`, its section `default` or the lines before any section.
 * @throws Failure `config` for half a key, or a file that is not its owner's alone
 */
export async function readStoreCredentials(
  environment: NodeJS.ProcessEnv,
  file: string | undefined,
): Promise<StoreCredentials | undefined> {
  const set = environment["AWS_ACCESS_KEY_ID"] || environment["AWS_SECRET_ACCESS_KEY"];
  if (set) return credentialsFrom((name) => environment[name.toUpperCase()], "the environment");
  const text = await readSecret(file, "name the file itself, in `store.credentialsFile`");
  if (file === undefined || text === undefined) return undefined;
  const values = valuesIn(text);
  return credentialsFrom((name) => values.get(name), `the credentials file ${file}`);
}

function credentialsFrom(read: (name: string) => string | undefined, where: string): StoreCredentials {
  const accessKeyId = read("aws_access_key_id");
  const secretAccessKey = read("aws_secret_access_key");
  const sessionToken = read("aws_session_token");
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  throw new Failure("config", `${where} holds only half of an access key`, {
    hint: "both are needed: aws_access_key_id and aws_secret_access_key (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)",
  });
}

function valuesIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = "default";
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1] ?? section;
    const [, name, value] = /^\s*(aws_[a-z_]+)\s*=\s*(\S+)\s*$/i.exec(line) ?? [];
    if (section === "default" && name !== undefined && value !== undefined) values.set(name.toLowerCase(), value);
  }
  return values;
}
