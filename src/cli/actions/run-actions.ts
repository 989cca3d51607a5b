import type { DriftOptions } from "../../commands/ledger/show-drift.ts";
import { Failure } from "../../model/failure.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { shellCommand } from "../../text/shell-command.ts";
import type {
  DocumentFlags,
  InspectFlags,
  ReconcileFlags,
  ReportFlags,
  ResumeFlags,
  RunFlags,
} from "../options/options.ts";
import { type Context, withLedger, withSettings } from "../process/context.ts";
import { optimiseLater } from "../process/engine-flags.ts";
import { operator } from "../process/operator.ts";
import { logFailure } from "../process/process-exit.ts";
import type { Session } from "../process/session.ts";
import { type LedgerSettings, readStoreSettings, requireOwners } from "../settings/settings.ts";
import { showRun, showWorker } from "../views/run/run-view.ts";
import { show } from "../views/view.ts";

export function validateAction(sources: readonly string[], flags: RunFlags, session: Session): Promise<void> {
  optimiseLater();
  return withSettings(session, sources, flags, async (settings, context) => {
    const { validate } = await import("../../commands/check/validate.ts");
    return showRun(await validate(settings, context.dependencies), flags, context);
  });
}

/** Runs a push. Loads the network client only here, so that `validate` starts without it. */
export function pushAction(sources: readonly string[], flags: RunFlags, session: Session): Promise<void> {
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
    return showRun(flags.dryRun === true ? withNext(done, typedWithout("--dry-run", session)) : done, flags, context);
  });
}

/** Sets the next command in a report. After a dry run, the next command sends the records. */
function withNext(run: RunReport, next: string): RunReport {
  return { ...run, report: { ...run.report, next } };
}

function typedWithout(flag: string, { words }: Session): string {
  return shellCommand(["migrate", ...words.filter((word) => word !== flag)]);
}

export function resumeAction(run: string | undefined, flags: ResumeFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async (settings, context) => {
    const { resume } = await import("../../commands/upload/resume.ts");
    const { skipCanary, showValues = false } = flags;
    const options = { ...settings, run, skipCanary, showValues };
    return showRun(await resume(options, context.dependencies), flags, context);
  });
}

export function reconcileAction(run: string | undefined, flags: ReconcileFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async (settings, context) => {
    const { reconcile } = await import("../../commands/upload/reconcile.ts");
    const { accept = [], resend = [], resendAll, quietPeriod, showValues = false } = flags;
    const decided = { accept, resend, resendAll, who: operator() };
    const options = { ...settings, run, ...decided, quietMs: quietPeriod, showValues };
    return showRun(await reconcile(options, context.dependencies), flags, context);
  });
}

export function reportAction(run: string | undefined, flags: ReportFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async (settings, context) => {
    if (flags.drift === true) return showDrift({ ledger: settings.ledger, run }, flags, context);
    if (flags.all === true) return showMigration({ ...settings, run }, flags, context);
    if (flags.byOwner === true) return showByOwner({ ...settings, run }, flags, context);
    const { report } = await import("../../commands/ledger/report.ts");
    return showRun(await report({ ...settings, run }, context.dependencies), flags, context);
  });
}

async function showMigration(
  { run, ...settings }: LedgerSettings & { readonly run: string | undefined },
  flags: ReportFlags,
  { dependencies, write }: Context,
): Promise<number> {
  if (run !== undefined) throw new Failure("usage", "--all cannot be combined with a run", { hint: "omit the run" });
  const format = textOrJson("--all", flags);
  const { reportMigration } = await import("../../commands/ledger/report.ts");
  const { migrationReportView } = await import("../views/run/report-views.ts");
  const written = await reportMigration(settings, dependencies);
  await write(migrationReportView[format](written));
  return 0;
}

async function showByOwner(
  { owners, ...settings }: LedgerSettings & { readonly run: string | undefined },
  flags: ReportFlags,
  context: Context,
): Promise<number> {
  const format = flags.format === "xlsx" ? "text" : textOrJson("--by-owner", flags);
  const { reportOwners } = await import("../../commands/ledger/report.ts");
  const { reportByOwnerView } = await import("../views/run/report-views.ts");
  const rules = requireOwners(owners, "--by-owner");
  const written = await reportOwners({ ...settings, owners: rules }, context.dependencies);
  await show(reportByOwnerView, written, { ...flags, format }, context);
  for (const failure of written.failures) logFailure(failure, context.logger);
  return written.exitCode;
}

async function showDrift(options: DriftOptions, flags: ReportFlags, context: Context): Promise<number> {
  const format = textOrJson("--drift", flags);
  const { drift } = await import("../../commands/ledger/show-drift.ts");
  const { driftView } = await import("../views/contract/drift-view.ts");
  await show(driftView, await drift(options, context.dependencies), { ...flags, format }, context);
  return 0;
}

/** @throws Failure `usage` for a format that cannot show the result of the option `flag` */
function textOrJson(flag: string, { format }: ReportFlags): "text" | "json" {
  if (format === "text" || format === "json") return format;
  throw new Failure("usage", `${flag} cannot be shown as ${format}`, { hint: "use --format text or json" });
}

export function workerAction(flags: InspectFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, { dependencies, logger }) => {
    const { work } = await import("../../commands/upload/worker.ts");
    return showWorker(await work({ ledger, run: flags.run, folder: process.cwd() }, dependencies), logger);
  });
}

export function documentsCheckAction(
  sources: readonly string[],
  flags: DocumentFlags,
  session: Session,
): Promise<void> {
  return withSettings(session, sources, flags, async (settings, context) => {
    const { documentsCheck } = await import("../../commands/check/documents-check.ts");
    const store = await readStoreSettings(flags, settings.supplier, process.cwd());
    const options = { ...settings, store, concurrency: flags.concurrency };
    return showRun(await documentsCheck(options, context.dependencies), flags, context);
  });
}
