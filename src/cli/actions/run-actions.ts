import type { Command } from "commander";
import { Failure, failureDetails } from "../../model/failure.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { isFlagGiven } from "../options/option-origin.ts";
import type {
  DocumentFlags,
  InspectFlags,
  ReconcileFlags,
  ReportFlags,
  ResumeFlags,
  RunFlags,
} from "../options/options.ts";
import { type Context, withLedger, withoutRejects, withSettings } from "../process/context.ts";
import { optimiseLater } from "../process/engine-flags.ts";
import { operator } from "../process/operator.ts";
import type { Session } from "../process/session.ts";
import { type LedgerSettings, requireOwners } from "../settings/settings.ts";
import { readStoreSettings } from "../settings/store-settings.ts";
import { showRun, showWorker } from "../views/run/run-view.ts";
import { show } from "../views/view.ts";

export function validateAction(
  session: Session,
  sources: readonly string[],
  flags: RunFlags,
  command: Command,
): Promise<void> {
  optimiseLater();
  return withSettings(session, sources, flags, async (settings, context) => {
    // Only a validation of re-imported rejects reads the ledger, for the settings and setup files of their run.
    if (settings.job.rejects === undefined && isFlagGiven(command, "ledger")) throw withoutRejects("--ledger");
    const { validate } = await import("../../commands/check/validate.ts");
    return showRun(await validate(settings, context.dependencies), flags, context);
  });
}

/** Runs a push. Loads the network client only here, so that `validate` starts without it. */
export function pushAction(session: Session, sources: readonly string[], flags: RunFlags): Promise<void> {
  return withSettings(session, sources, flags, async ({ target, ...settings }, context) => {
    const { remoteValidate } = await import("../../commands/upload/push.ts");
    const { pushOrJoin } = await import("../../commands/upload/push-or-join.ts");
    const { refreshReferences } = await import("../../commands/refresh-references.ts");
    const { refuseWritableByOthers } = await import("../settings/config-file.ts");
    const { requireTarget } = await import("../../job/settings/platform-settings.ts");
    const run = flags.remoteValidate === true ? remoteValidate : pushOrJoin;
    await refuseWritableByOthers(settings.configFile);
    const options = { ...settings, target: requireTarget(target, "to push to"), by: operator() };
    if (flags.refreshReferences === true) await refreshReferences(options, context.dependencies);
    const done = await run(options, context.dependencies);
    if (!("report" in done)) return showWorker(done, context.logger);
    const hasTooManyErrors = done.failures.some(({ code }) => code === "too_many_errors");
    if (flags.dryRun !== true || hasTooManyErrors) return showRun(done, flags, context);
    const next = shellCommand(["migrate", ...session.words.filter((word) => word !== "--dry-run")]);
    return showRun({ ...done, report: { ...done.report, next } }, flags, context);
  });
}

export function resumeAction(session: Session, run: string | undefined, flags: ResumeFlags): Promise<void> {
  return withLedger(session, flags, async (settings, context) => {
    const { resume } = await import("../../commands/upload/resume.ts");
    const { skipCanary, showValues = false } = flags;
    return showRun(await resume({ ...settings, run, skipCanary, showValues }, context.dependencies), flags, context);
  });
}

export function reconcileAction(session: Session, run: string | undefined, flags: ReconcileFlags): Promise<void> {
  return withLedger(session, flags, async (settings, context) => {
    const { reconcile } = await import("../../commands/upload/reconcile.ts");
    const { accept = [], resend = [], resendAll, acceptFound, quietPeriod, showValues = false } = flags;
    const decided = { accept, resend, resendAll, acceptFound, who: operator() };
    const options = { ...settings, run, ...decided, quietMs: quietPeriod, showValues };
    return showRun(await reconcile(options, context.dependencies), flags, context);
  });
}

export function reportAction(
  session: Session,
  run: string | undefined,
  flags: ReportFlags,
  command: Command,
): Promise<void> {
  return withLedger(session, flags, async (settings, context) => {
    const options = { ...settings, run };
    if (flags.drift === true) {
      if (isFlagGiven(command, "out"))
        throw new Failure("usage", "--drift writes no files, so it cannot be combined with --out", {
          hint: "redirect the output: `migrate report --drift --format json > drift.json`",
        });
      return showDrift(options, inTextOrJson("--drift", flags, command), context);
    }
    if (flags.all === true) return showMigration(options, inTextOrJson("--all", flags, command), context);
    if (flags.byOwner === true) {
      const format = flags.format === "xlsx" ? "text" : flags.format;
      return showByOwner(options, inTextOrJson("--by-owner", { ...flags, format }, command), context);
    }
    const { report } = await import("../../commands/ledger/report.ts");
    return showRun(await report(options, context.dependencies), flags, context);
  });
}

interface ReportedRun extends LedgerSettings {
  readonly run: string | undefined;
}

async function showMigration(
  { run, ...settings }: ReportedRun,
  flags: InspectFlags,
  context: Context,
): Promise<number> {
  if (run !== undefined) throw new Failure("usage", "--all cannot be combined with a run", { hint: "omit the run" });
  const { reportMigration } = await import("../../commands/ledger/report.ts");
  const { migrationReportView } = await import("../views/run/report-views.ts");
  const written = await reportMigration(settings, context.dependencies);
  return show(migrationReportView, written, flags, context);
}

async function showByOwner(
  { owners, ...settings }: ReportedRun,
  flags: InspectFlags,
  context: Context,
): Promise<number> {
  const { reportOwners } = await import("../../commands/ledger/report.ts");
  const { reportByOwnerView } = await import("../views/run/report-views.ts");
  const rules = requireOwners(owners, "--by-owner");
  const written = await reportOwners({ ...settings, owners: rules }, context.dependencies);
  await show(reportByOwnerView, written, flags, context);
  for (const failure of written.failures) context.logger.failure(failureDetails(failure));
  return written.exitCode;
}

async function showDrift({ ledger, run }: ReportedRun, flags: InspectFlags, context: Context): Promise<number> {
  const { drift } = await import("../../commands/ledger/show-drift.ts");
  const { driftView } = await import("../views/contract/drift-view.ts");
  return show(driftView, await drift({ ledger, run }, context.dependencies), flags, context);
}

/**
 * Returns the flags with a format that can show the result of the option `flag`. Replaces an unsuitable
 * `MIGRATE_FORMAT` with text, because the variable also applies to other reports.
 * @throws Failure `usage` for an unsuitable `--format`
 */
function inTextOrJson(flag: string, { format, ...flags }: ReportFlags, command: Command): InspectFlags {
  if (format === "text" || format === "json") return { ...flags, format };
  if (!isFlagGiven(command, "format")) return { ...flags, format: "text" };
  throw new Failure("usage", `${flag} cannot be shown as ${format}`, { hint: "use --format text or json" });
}

export function workerAction(session: Session, flags: InspectFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger, folder }, { dependencies, logger }) => {
    const { work } = await import("../../commands/upload/worker.ts");
    return showWorker(await work({ ledger, run: flags.run, folder }, dependencies), logger);
  });
}

export function documentsCheckAction(
  session: Session,
  sources: readonly string[],
  flags: DocumentFlags,
): Promise<void> {
  return withSettings(session, sources, flags, async (settings, context) => {
    const { documentsCheck } = await import("../../commands/check/documents-check.ts");
    const store = await readStoreSettings(flags, settings.supplier, process.cwd());
    const options = { ...settings, store, concurrency: flags.concurrency };
    return showRun(await documentsCheck(options, context.dependencies), flags, context);
  });
}
