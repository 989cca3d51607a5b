import { hostname, userInfo } from "node:os";
import { drift, type DriftOptions } from "../../commands/ledger/show-drift.ts";
import { report } from "../../commands/ledger/report-again.ts";
import { validate } from "../../commands/validate.ts";
import { Failure } from "../../model/failure.ts";
import { driftJson, driftText } from "../views/drift-view.ts";
import type { ReconcileFlags, RunFlags } from "../options/options.ts";
import { refuseWritableByOthers } from "../settings/config-file.ts";
import { withContext } from "../process/context.ts";
import { requireTarget } from "../settings/settings.ts";
import { showRun } from "../views/run-view.ts";
import { readLedgerSettings, readSettings } from "../settings/settings.ts";
import type { Context } from "../process/context.ts";

export function validateAction(sources: readonly string[], flags: RunFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const settings = await readSettings(sources, flags, process.cwd());
    world.logger.detail(configText(settings));
    return showRun(await validate(settings, world.dependencies), flags.format, world);
  });
}

/** The client for the network is loaded where it is used: validate starts without it. */
export function pushAction(sources: readonly string[], flags: RunFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const { push } = await import("../../commands/push.ts");
    const { refreshReferences } = await import("../../commands/refresh-references.ts");
    const { remoteValidate } = await import("../../commands/push.ts");
    const run = flags.remoteValidate === true ? remoteValidate : push;
    const { target, ...settings } = await readSettings(sources, flags, process.cwd());
    world.logger.detail(configText(settings));
    await refuseWritableByOthers(settings.configFile);
    const options = { ...settings, target: requireTarget(target, "to push to") };
    if (flags.refreshReferences === true) await refreshReferences(options, world.dependencies);
    return showRun(await run(options, world.dependencies), flags.format, world);
  });
}

export function resumeAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const { resume } = await import("../../commands/resume.ts");
    const settings = await readLedgerSettings(flags, process.cwd());
    world.logger.detail(configText(settings));
    const options = { ...settings, run, showValues: flags.showValues ?? false };
    return showRun(await resume(options, world.dependencies), flags.format, world);
  });
}

export function reconcileAction(run: string | undefined, flags: ReconcileFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const { reconcile } = await import("../../commands/reconcile.ts");
    const settings = await readLedgerSettings(flags, process.cwd());
    world.logger.detail(configText(settings));
    const { accept = [], resend = [], quietPeriod, showValues = false } = flags;
    const options = { ...settings, run, accept, resend, who: currentUser(), quietMs: quietPeriod, showValues };
    return showRun(await reconcile(options, world.dependencies), flags.format, world);
  });
}

export function reportAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const settings = await readLedgerSettings(flags, process.cwd());
    world.logger.detail(configText(settings));
    if (flags.drift === true) return showDrift({ ledger: settings.ledger, run }, flags, world);
    return showRun(await report({ ...settings, run }, world.dependencies), flags.format, world);
  });
}

async function showDrift(options: DriftOptions, { format }: RunFlags, world: Context): Promise<number> {
  if (format !== "text" && format !== "json") {
    throw new Failure("usage", `--drift cannot be shown as ${format}`, { hint: "use --format text or json" });
  }
  const found = await drift(options, world.dependencies);
  await world.write(format === "json" ? driftJson(found) : driftText(found, world.dependencies.screen));
  return 0;
}

function configText({ configFile }: { readonly configFile: string | undefined }): string {
  return configFile === undefined ? "No configuration file" : `Configuration file ${configFile}`;
}

/** A container may run as a user who has no name. */
function currentUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
