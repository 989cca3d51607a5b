import { push } from "../commands/push.ts";
import { report } from "../commands/report.ts";
import { resume } from "../commands/resume.ts";
import { validate } from "../commands/validate.ts";
import { Failure } from "../model/failure.ts";
import type { Format } from "../report/format.ts";
import { reporters } from "../report/reporters.ts";
import { summaryText } from "../report/run-summary.ts";
import type { RunReport } from "../run/run-report.ts";
import type { Flags, RunFlags } from "./flags.ts";
import { inWorld, sayFailure } from "./in-world.ts";
import type { Settings } from "./settings.ts";
import { readLedgerSettings, readSettings } from "./settings.ts";
import { withStandardInput } from "./standard-input.ts";
import type { World } from "./world.ts";

export function validateAction(sources: readonly string[], flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await settingsFor(sources, flags, world);
    return show(await validate(settings, world.parts), flags.format, world);
  });
}

export function pushAction(sources: readonly string[], flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const { target, ...settings } = await settingsFor(sources, flags, world);
    if (target === undefined) {
      throw new Failure("usage", "no platform is named to push to", {
        hint: "pass --base-url https://.../v1/, or --target with a target of the configuration file",
      });
    }
    return show(await push({ ...settings, target }, world.parts), flags.format, world);
  });
}

export function resumeAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await readLedgerSettings(flags, process.cwd());
    const options = { ...settings, run, showValues: flags.showValues ?? false };
    return show(await resume(options, world.parts), flags.format, world);
  });
}

export function reportAction(run: string | undefined, flags: RunFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const settings = await readLedgerSettings(flags, process.cwd());
    return show(await report({ ...settings, run }, world.parts), flags.format, world);
  });
}

/** Reads the settings, and writes standard input to a file where it is a source. */
async function settingsFor(sources: readonly string[], flags: Flags, world: World): Promise<Settings> {
  const settings = await readSettings(sources, flags, process.cwd());
  return { ...settings, job: await withStandardInput(settings.job, world.parts.temporaryFolder) };
}

/** stdout: the report in its format; stderr: the summary, and why the run stopped. */
async function show(run: RunReport, format: Format, { talk, write, close }: World): Promise<number> {
  try {
    close();
    await reporters[format](run.report, write);
    talk.lines(summaryText(run.report));
    if (run.failure) sayFailure(run.failure, talk);
    return run.exitCode;
  } finally {
    await run.close();
  }
}
