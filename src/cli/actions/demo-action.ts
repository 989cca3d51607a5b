import path from "node:path";
import { demo, type DemoStep, type DemoPush } from "../../commands/demo/demo.ts";
import { push, type PushOptions } from "../../commands/upload/push.ts";
import type { Secrets } from "../../job/dependencies.ts";
import { Failure } from "../../model/failure.ts";
import { DEFAULT_PACE } from "../../job/settings/platform-settings.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import type { DemoFlags } from "../options/options.ts";
import { type Context, withContext } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { defaultDependencies } from "../../runtime/default-dependencies.ts";
import { showRun } from "../views/run/run-view.ts";

const DEMO_FOLDER = ".migrate/demo";

/** Shows the demo step by step. The exit code is that of the last step, or 3 if the user stops the demo. */
export function demoAction(session: Session, flags: DemoFlags): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { logger } = context;
    if (flags.ledger !== undefined && flags.cluster !== true)
      throw new Failure("usage", "--ledger needs --cluster: without --cluster, the demo creates its own ledger");
    const steps = flags.cluster === true ? await clusterSteps(flags, context) : singleSteps(flags, context);
    for await (const step of steps) {
      if (step.kind === "end") return step.exitCode;
      if (step.kind === "say") logger.lines(`${step.text}\n`, "notice", { message: step.text.trim() });
      else await showRun(withoutNext(step.report), { format: "text" }, context);
    }
    return 3;
  });
}

function singleSteps(flags: DemoFlags, { dependencies }: Context): AsyncIterable<DemoStep> {
  const { drain, contractCache } = dependencies;
  return demo(
    { folder: DEMO_FOLDER },
    {
      drain,
      contractCache,
      push: (asked) => {
        const secrets = async (): Promise<Secrets> => ({ apiKey: asked.platform.apiKey });
        return push(pushOptions(asked, flags, DEFAULT_PACE), { ...dependencies, secrets });
      },
    },
  );
}

/**
 * Returns the steps of the demo that uses workers. The workers are separate processes, which read the platform's key
 * from the environment.
 */
async function clusterSteps(flags: DemoFlags, { dependencies }: Context): Promise<AsyncIterable<DemoStep>> {
  const { clusterDemo } = await import("../../commands/demo/cluster-demo.ts");
  return clusterDemo(
    { folder: DEMO_FOLDER, ledger: flags.ledger },
    {
      ...dependencies,
      push: ({ startProcess, onProgress, concurrency, workers, ...asked }) => {
        process.env["MIGRATE_API_KEY"] = asked.platform.apiKey;
        // Keeps the demo's state out of the user's state folder.
        process.env["XDG_STATE_HOME"] = path.resolve(DEMO_FOLDER, "state");
        const { stateFolder } = defaultDependencies();
        const pace = { concurrency, maxConcurrency: concurrency };
        const secrets = async (): Promise<Secrets> => ({ apiKey: asked.platform.apiKey });
        const options = { ...pushOptions(asked, flags, pace), workers };
        return push(options, { ...dependencies, stateFolder, startProcess, onProgress, secrets });
      },
    },
  );
}

function pushOptions(
  { job, platform, ledger, out }: DemoPush,
  { showValues = false }: DemoFlags,
  pace: PushOptions["pace"],
): PushOptions {
  return {
    job,
    pace,
    supplier: { code: job.supplier },
    ledger,
    out,
    target: {
      baseUrl: platform.baseUrl,
      flags: ["--base-url", platform.baseUrl, "--ca", platform.ca],
      ca: platform.ca,
      allowInsecureLoopback: false,
      production: false,
      auth: {},
    },
    allowEmpty: false,
    dryRun: false,
    revise: false,
    yes: false,
    showValues,
  };
}

/** Omits the next command. The demo's platform stops with the demo, so a later command could not reach it. */
function withoutNext(run: RunReport): RunReport {
  const { next: _next, ...report } = run.report;
  return { ...run, report };
}
