import { hostname, userInfo } from "node:os";
import { drift, type DriftOptions } from "../commands/drift.ts";
import { report } from "../commands/report.ts";
import { validate } from "../commands/validate.ts";
import { Failure } from "../model/failure.ts";
import { driftJson, driftText } from "./drift-view.ts";
import type { ReconcileFlags, RunFlags } from "./flags.ts";
import { refuseWritableByOthers } from "./config-rights.ts";
import { inWorld } from "./in-world.ts";
import { namedTarget } from "./named-target.ts";
import { showRun } from "./run-view.ts";
import { readLedgerSettings, readSettings } from "./settings.ts";
import type { World } from "./world.ts";

export function validateAction(sources: readonly string[], flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await readSettings(sources, flags, process.cwd());
    world.talk.detail(configText(settings));
    return showRun(await validate(settings, world.parts), flags.format, world);
  });
}

/** The client for the network is loaded where it is used: validate starts without it. */
export function pushAction(sources: readonly string[], flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const { push } = await import("../commands/push.ts");
    const { refreshReferences } = await import("../commands/refresh-references.ts");
    const { remoteValidate } = await import("../commands/remote-validate.ts");
    const run = flags.remoteValidate === true ? remoteValidate : push;
    const { target, ...settings } = await readSettings(sources, flags, process.cwd());
    world.talk.detail(configText(settings));
    await refuseWritableByOthers(settings.configFile);
    const options = { ...settings, target: namedTarget(target, "to push to") };
    if (flags.refreshReferences === true) await refreshReferences(options, world.parts);
    return showRun(await run(options, world.parts), flags.format, world);
  });
}

export function resumeAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const { resume } = await import("../commands/resume.ts");
    const settings = await readLedgerSettings(flags, process.cwd());
    world.talk.detail(configText(settings));
    const options = { ...settings, run, showValues: flags.showValues ?? false };
    return showRun(await resume(options, world.parts), flags.format, world);
  });
}

export function reconcileAction(run: string | undefined, flags: ReconcileFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const { reconcile } = await import("../commands/reconcile.ts");
    const settings = await readLedgerSettings(flags, process.cwd());
    world.talk.detail(configText(settings));
    const { accept = [], resend = [], quietPeriod, showValues = false } = flags;
    const options = { ...settings, run, accept, resend, who: whoRuns(), quietMs: quietPeriod, showValues };
    return showRun(await reconcile(options, world.parts), flags.format, world);
  });
}

export function reportAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await readLedgerSettings(flags, process.cwd());
    world.talk.detail(configText(settings));
    if (flags.drift === true) return showDrift({ ledger: settings.ledger, run }, flags, world);
    return showRun(await report({ ...settings, run }, world.parts), flags.format, world);
  });
}

async function showDrift(options: DriftOptions, { format }: RunFlags, world: World): Promise<number> {
  if (format !== "text" && format !== "json") {
    throw new Failure("usage", `--drift cannot be shown as ${format}`, { hint: "use --format text or json" });
  }
  const found = await drift(options, world.parts);
  await world.write(format === "json" ? driftJson(found) : driftText(found, world.parts.screen));
  return 0;
}

function configText({ configFile }: { readonly configFile: string | undefined }): string {
  return configFile === undefined ? "No configuration file" : `Configuration file ${configFile}`;
}

/** A container may run as a user who has no name. */
function whoRuns(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
