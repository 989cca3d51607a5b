import { demo } from "../../commands/demo/demo.ts";
import { push } from "../../commands/push.ts";
import { DEFAULT_PACE } from "../../job/platform-settings.ts";
import type { RunReport } from "../../pipeline/run-report.ts";
import type { Flags } from "../options/options.ts";
import { withContext } from "../process/context.ts";
import { showRun } from "../views/run-view.ts";

const DEMO_FOLDER = ".migrate/demo";

/** Shows the demo step by step; its exit code is 0 when every account has arrived. */
export function demoAction(flags: Flags): Promise<void> {
  return withContext(flags, async (context) => {
    const { dependencies, logger } = context;
    const steps = demo(
      { folder: DEMO_FOLDER },
      {
        drain: dependencies.drain,
        contractCache: dependencies.contractCache,
        push: ({ job, platform, ledger, out }) =>
          push(
            {
              job,
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
              pace: DEFAULT_PACE,
              allowEmpty: false,
              dryRun: false,
              revise: false,
              yes: false,
              showValues: flags.showValues ?? false,
            },
            { ...dependencies, secrets: async () => ({ apiKey: platform.apiKey }) },
          ),
      },
    );
    for await (const step of steps) {
      if (step.kind === "end") return step.exitCode;
      if (step.kind === "say") logger.lines(`${step.text}\n`, "notice", { message: step.text.trim() });
      else await showRun(withoutNext(step.report), { format: "text" }, context);
    }
    return 3;
  });
}

/** The demo's platform ends with it: a command that goes on from here would find nobody. */
function withoutNext(run: RunReport): RunReport {
  const { next: _next, ...report } = run.report;
  return { ...run, report };
}
