import { Failure } from "../../model/failure.ts";
import type { StoreCredentials, StoreKey } from "../../store/s3-store.ts";
import { readSecret } from "../../runtime/read-credentials.ts";

/**
 * Reads the access key of a document store from the first of these sources that has a key:
 * - the standard AWS environment variables
 * - the private file `file`, in the format of `~/.aws/credentials`: its section `default`, or the lines before any
 *   section
 * - the AWS credential provider: a profile, or the role of a container or instance
 * Returns undefined if no source has a key.
 * @throws Failure `config` for an incomplete key, a file that other users can access, or a profile without a key
 */
export async function readStoreKey(
  environment: NodeJS.ProcessEnv,
  file: string | undefined,
): Promise<StoreKey | undefined> {
  if (environment["AWS_ACCESS_KEY_ID"] || environment["AWS_SECRET_ACCESS_KEY"])
    return fixed(
      credentialsFrom(
        (name) => environment[name.toUpperCase()],
        "the environment",
        "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      ),
    );
  const text = await readSecret(file, "set `store.credentialsFile` to the path of a regular file");
  if (file === undefined || text === undefined) return providedKey(environment);
  const values = valuesIn(text);
  return fixed(credentialsFrom((name) => values.get(name), `the credentials file ${file}`, FILE_HINT));
}

function fixed(credentials: StoreCredentials): StoreKey {
  return async () => credentials;
}

const FILE_HINT = "write aws_access_key_id and aws_secret_access_key into its section `default`";

function credentialsFrom(read: (name: string) => string | undefined, where: string, hint: string): StoreCredentials {
  const accessKeyId = read("aws_access_key_id");
  const secretAccessKey = read("aws_secret_access_key");
  const sessionToken = read("aws_session_token");
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  throw new Failure("config", `${where} does not contain a complete access key`, { hint });
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

/**
 * Returns the key from the standard AWS credential chain. The provider requests a new key before the old key expires.
 */
async function providedKey({ AWS_PROFILE: profile }: NodeJS.ProcessEnv): Promise<StoreKey | undefined> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  const key = defaultProvider(profile ? { profile } : {});
  try {
    await key();
    return key;
  } catch (error) {
    if (!profile) return undefined;
    const reason = error instanceof Error ? `: ${error.message}` : "";
    throw new Failure("config", `the profile ${profile} (AWS_PROFILE) provides no access key${reason}`, {
      hint: "check the profile with `aws sts get-caller-identity`; `aws sso login` renews an expired login",
      cause: error,
    });
  }
}
