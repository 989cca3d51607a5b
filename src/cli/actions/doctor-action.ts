import type { SecretFiles } from "../../job/dependencies.ts";
import type { Command } from "commander";
import { type Check, failedBy, ok, skipped, warning } from "../../commands/doctor/check.ts";
import { doctor } from "../../commands/doctor/doctor.ts";
import { Failure, highestPriorityExitCode, recoverSync } from "../../model/failure.ts";
import { requiredNode } from "../../runtime/installation.ts";
import { secretOrigins } from "../../runtime/read-credentials.ts";
import { knownVariables, optionOrigins } from "../options/option-origin.ts";
import type { DoctorFlags, Flags, InspectFlags } from "../options/options.ts";
import { type Context, withContext } from "../process/context.ts";
import { environmentCheck, nodeCheck } from "../process/machine-checks.ts";
import type { Session } from "../process/session.ts";
import { type LocatedConfig, readLocatedConfig, refuseWritableByOthers } from "../settings/config-file.ts";
import {
  type EffectiveSetting,
  effectiveCredentials,
  effectiveSettings,
  originText,
} from "../settings/effective-settings.ts";
import { type Settings, settingsOf } from "../settings/settings.ts";
import { configView } from "../views/config-view.ts";
import { checkLine, checkSummary } from "../views/doctor-view.ts";
import { show } from "../views/view.ts";
import { indentedJson } from "../../terminal/safe-json.ts";

export function doctorAction(
  session: Session,
  sources: readonly string[],
  flags: DoctorFlags,
  command: Command,
): Promise<void> {
  return withContext(session, flags, async (context) => {
    const isText = flags.format === "text";
    const checks: Check[] = [];
    for await (const check of allChecks(sources, { flags, command }, context)) {
      checks.push(check);
      context.close();
      if (isText) await context.write(checkLine(check, context.dependencies.screen));
    }
    const exitCode = highestPriorityExitCode(checks.map((check) => check.exitCode));
    await context.write(isText ? checkSummary(checks, exitCode) : indentedJson({ checks, exitCode }));
    return exitCode;
  });
}

interface TypedOptions {
  readonly flags: DoctorFlags;
  readonly command: Command;
}

async function* allChecks(
  sources: readonly string[],
  { flags, command }: TypedOptions,
  { dependencies }: Context,
): AsyncGenerator<Check> {
  yield nodeCheck(process.versions.node, requiredNode());
  const environment = environmentCheck(process, knownVariables(command.parent ?? command));
  yield environment;
  const { settings, check } = await readConfiguration(sources, { flags, command });
  yield check;
  if (settings === undefined) {
    yield* ["contract", "mapping", "input", "target", "ledger"].map((name) => skipped(name, "needs the configuration"));
    return;
  }
  const options = {
    ...settings,
    // Opens no connection if certificates would not be verified, so that no credentials are exposed.
    offline: flags.offline === true || environment.status === "failed",
    secretOrigins: (files: SecretFiles) => secretOrigins(process.env, files),
  };
  yield* doctor(options, dependencies);
}

/** Returns no settings if the settings are invalid even without the target and the suppliers. */
async function readConfiguration(
  sources: readonly string[],
  { flags, command }: TypedOptions,
): Promise<{ readonly check: Check; readonly settings: Settings | undefined }> {
  let config: LocatedConfig | undefined;
  const folder = process.cwd();
  try {
    config = await readLocatedConfig(flags.config, folder);
    await refuseWritableByOthers(config.config.file);
    const settings = settingsOf(config.config, { sources, flags, folder });
    const effective = effectiveSettings({ settings, config, flags, origins: optionOrigins(command) });
    return { settings, check: configurationCheck(config.config.file, effective) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const settings = config && withoutTarget(config, { sources, flags, folder });
    return { settings, check: failedBy("configuration", error) };
  }
}

/**
 * Reads the settings without the target and the suppliers, so that the other settings can be checked even if the target
 * or supplier is unknown.
 */
function withoutTarget(
  { config: { target: _target, suppliers: _suppliers, ...config } }: LocatedConfig,
  { flags, ...more }: { readonly sources: readonly string[]; readonly flags: Flags; readonly folder: string },
): Settings | undefined {
  const { target: _name, baseUrl: _address, ...rest } = flags;
  return recoverSync(
    () => settingsOf(config, { ...more, flags: rest }),
    () => undefined,
  );
}

function configurationCheck(file: string | undefined, settings: readonly EffectiveSetting[]): Check {
  const text = [file ?? "no migrate.yaml in this folder or a folder above it", ...givenBy(settings)].join("; ");
  if (file !== undefined) return ok("configuration", text);
  return warning("configuration", text, {
    fix: "create migrate.yaml (docs/configuration.md), or use only flags and MIGRATE_ variables",
  });
}

/**
 * Describes the settings by origin: `sets contract, mapping` for the file, `supplier from MIGRATE_SUPPLIER`, `target
 * from --target`.
 */
function givenBy(settings: readonly EffectiveSetting[]): readonly string[] {
  const names = (kind: EffectiveSetting["origin"]["kind"]): readonly EffectiveSetting[] =>
    settings.filter(({ origin, name }) => origin.kind === kind && name !== "config");
  const inFile = [...new Set(names("file").map(({ name }) => name.split(".").slice(0, 2).join(".")))];
  const given = [...names("environment"), ...names("flag")].map(
    ({ origin, name }) => `${name} from ${originText(origin)}`,
  );
  return [...(inFile.length === 0 ? [] : [`sets ${inFile.join(", ")}`]), ...given];
}

export function configShowAction(session: Session, flags: InspectFlags, command: Command): Promise<void> {
  return withContext(session, flags, async (context) => {
    const folder = process.cwd();
    const config = await readLocatedConfig(flags.config, folder);
    const settings = settingsOf(config.config, { sources: [], flags, folder });
    const shown = effectiveSettings({ settings, config, flags, origins: optionOrigins(command) });
    return show(configView, [...shown, ...effectiveCredentials(process.env, settings)], flags, context);
  });
}
