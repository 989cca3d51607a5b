import type { CorrectionRequest } from "../../commands/corrections/add-corrections.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import { timestamp } from "../../time/clock.ts";
import type { CorrectionFlags } from "../options/options.ts";
import { type Context, withoutRejects, withSettings } from "../process/context.ts";
import { operator } from "../process/operator.ts";
import type { Session } from "../process/session.ts";
import type { Settings } from "../settings/settings.ts";
import {
  addedCorrectionsView,
  correctionsView,
  keptCorrectionsView,
  removedCorrectionsView,
} from "../views/corrections-view.ts";
import { show } from "../views/view.ts";

/** The cell and its value. All members are absent with `--from` or `--rejects`. */
interface GivenCell {
  readonly key?: string | undefined;
  readonly column?: string | undefined;
  readonly value?: string | undefined;
}

export function correctionsAddAction(session: Session, cell: GivenCell, flags: CorrectionFlags): Promise<void> {
  const { rejects = [] } = flags;
  return rejects.length === 0 ? addCells(cell, flags, session) : keepRejects(rejects, cell, flags, session);
}

function addCells(cell: GivenCell, flags: CorrectionFlags, session: Session): Promise<void> {
  return withSettings(session, [], flags, async (settings, context) => {
    const { addCorrections, readRequests } = await import("../../commands/corrections/add-corrections.ts");
    const { from, newKeys = false, showValues = false } = flags;
    if (newKeys || showValues) throw withoutRejects(newKeys ? "--new-keys" : "--show-values");
    if (from !== undefined) refuseCell("--from", cell);
    const requests = from === undefined ? [requestOf(cell, flags)] : await readRequests(from);
    const file = fileOf(settings);
    const added = await addCorrections({ job: settings.job, file, requests, by: operator() }, context.dependencies);
    return show(addedCorrectionsView, added, flags, context);
  });
}

function keepRejects(
  folders: readonly string[],
  cell: GivenCell,
  flags: CorrectionFlags,
  session: Session,
): Promise<void> {
  const ofSources = { ...flags, rejects: [], restoreKeys: false, acceptChanges: false };
  return withSettings(session, [], ofSources, async (settings, context) => {
    const { keepReturned } = await import("../../commands/corrections/keep-returned.ts");
    const { reason, showValues = false } = flags;
    refuseCell("--rejects", cell);
    const file = fileOf(settings);
    const rejects = await rejectsJobs(folders, flags, context);
    const { exportedSources } = await import("../../job/rejects/recorded-rejects.ts");
    const exported = flags.source === undefined ? await exportedSources(folders.at(-1) ?? "") : {};
    const options = { job: { ...settings.job, ...exported }, rejects, file, by: operator(), reason, showValues };
    const kept = await keepReturned(options, context.dependencies);
    await show(keptCorrectionsView, kept, flags, context);
    return kept.notKept.length === 0 ? 0 : 1;
  });
}

/** Refuses a cell next to `flag`, which names the corrections in another way. */
function refuseCell(flag: string, { key }: GivenCell): void {
  if (key === undefined) return;
  throw new Failure("usage", `${flag} cannot be combined with <key> <column> <value>`, {
    hint: `omit ${flag} to correct this cell only`,
  });
}

/** Returns the settings for reading each folder of rejects. Ignores flags that describe source files. */
async function rejectsJobs(
  folders: readonly string[],
  flags: CorrectionFlags,
  { dependencies }: Context,
): Promise<readonly JobSettings[]> {
  const { readRejectsSettings } = await import("../settings/settings-of-rejects.ts");
  const own = definedMembers({ ...flags, source: undefined, encoding: undefined, delimiter: undefined });
  const jobs: JobSettings[] = [];
  for (const folder of folders) {
    const given = { ...own, rejects: [folder] };
    jobs.push((await readRejectsSettings([], given, process.cwd(), dependencies)).job);
  }
  return jobs;
}

export function correctionsListAction(session: Session, flags: CorrectionFlags): Promise<void> {
  return withSettings(session, [], flags, async (settings, context) => {
    const { readWithNotice } = await import("../../commands/corrections/change-corrections.ts");
    const file = fileOf(settings);
    const { corrections } = await readWithNotice(file, context.dependencies.notice);
    return show(correctionsView, { file, corrections }, flags, context);
  });
}

export function correctionsRemoveAction(session: Session, key: string, flags: CorrectionFlags): Promise<void> {
  return withSettings(session, [], flags, async (settings, context) => {
    const { removeCorrections } = await import("../../commands/corrections/change-corrections.ts");
    const file = fileOf(settings);
    const { clock, notice } = context.dependencies;
    const corrections = await removeCorrections(
      file,
      { key, source: flags.in, column: flags.column },
      { by: operator(), at: timestamp(clock), notice },
    );
    return show(removedCorrectionsView, { file, corrections }, flags, context);
  });
}

function requestOf(
  { key, column, value }: GivenCell,
  { in: source, line, reason }: CorrectionFlags,
): CorrectionRequest {
  if (key !== undefined && column !== undefined && value !== undefined)
    return { key, column, value, source, line, reason };
  throw new Failure("usage", "a correction needs a key, a column and a value", {
    hint: "pass <key> <column> <value>, or --from <file> to add several corrections",
  });
}

function fileOf({ job: { corrections, folder } }: Settings): string {
  if (corrections !== undefined) return pathsFrom(folder)(corrections);
  throw new Failure("usage", "no corrections file is configured", {
    hint: "set `corrections: corrections.csv` in migrate.yaml, or pass --corrections <file>",
  });
}
