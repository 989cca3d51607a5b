import type { Settings } from "./settings.ts";
import { CREDENTIAL_VARIABLES, STORE_CREDENTIAL_VARIABLES } from "../options/credential-variables.ts";
import type { EffectiveSetting, SettingOrigin } from "./effective-settings.ts";
import { secretOrigins } from "../../runtime/read-credentials.ts";

/** Shown instead of a secret, regardless of its length. */
const MASKED = "***";

/** Lists the credentials and their origins. Does not read credential files and shows no secrets. */
export function effectiveCredentials(
  environment: NodeJS.ProcessEnv,
  { target }: Settings,
): readonly EffectiveSetting[] {
  const { token, apiKey } = secretOrigins(environment, target?.auth ?? {});
  const others = ["MIGRATE_PROXY_CREDENTIALS", ...Object.keys(STORE_CREDENTIAL_VARIABLES)];
  return [
    masked("MIGRATE_TOKEN", originOf(token)),
    masked("MIGRATE_API_KEY", originOf(apiKey)),
    ...others.map((variable) => credentialOf(variable, environment[variable])),
  ];
}

function credentialOf(variable: string, value: string | undefined): EffectiveSetting {
  const shown = masked(variable, value ? { kind: "environment", variable } : undefined);
  return value && variable === "AWS_PROFILE" ? { ...shown, value } : shown;
}

function originOf(place: string | undefined): SettingOrigin | undefined {
  if (place === undefined) return undefined;
  return Object.hasOwn(CREDENTIAL_VARIABLES, place)
    ? { kind: "environment", variable: place }
    : { kind: "secret-file", file: place };
}

function masked(name: string, origin: SettingOrigin | undefined): EffectiveSetting {
  return origin === undefined ? { name, origin: { kind: "none" } } : { name, value: MASKED, origin };
}
