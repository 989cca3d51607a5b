import { report } from "../commands/report.ts";
import { validate } from "../commands/validate.ts";
import type { RunFlags } from "./flags.ts";
import { refuseWritableByOthers } from "./open-config.ts";
import { inWorld } from "./in-world.ts";
import { namedTarget } from "./named-target.ts";
import { showRun } from "./run-view.ts";
import { readLedgerSettings, readSettings } from "./settings.ts";

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
    const { target, ...settings } = await readSettings(sources, flags, process.cwd());
    world.talk.detail(configText(settings));
    await refuseWritableByOthers(settings.configFile);
    const options = { ...settings, target: namedTarget(target, "to push to") };
    return showRun(await push(options, world.parts), flags.format, world);
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

export function reportAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await readLedgerSettings(flags, process.cwd());
    world.talk.detail(configText(settings));
    return showRun(await report({ ...settings, run }, world.parts), flags.format, world);
  });
}

function configText({ configFile }: { readonly configFile: string | undefined }): string {
  return configFile === undefined ? "No configuration file" : `Configuration file ${configFile}`;
}
