import { demo } from "../commands/demo.ts";
import { push } from "../commands/push.ts";
import { reporters } from "../report/reporters.ts";
import { summaryText } from "../report/run-summary.ts";
import type { Flags } from "./flags.ts";
import { inWorld, sayFailure } from "./in-world.ts";

const DEMO_FOLDER = ".migrate/demo";

/** Shows the demo step by step; its exit code is 0 when every account has arrived. */
export function demoAction(flags: Flags): Promise<void> {
  return inWorld(flags, async ({ parts, talk, write, close }) => {
    const steps = demo(
      { folder: DEMO_FOLDER },
      {
        drain: parts.drain,
        push: ({ job, platform, ledger, out }) =>
          push(
            {
              job,
              ledger,
              out,
              target: {
                baseUrl: platform.baseUrl,
                ca: platform.ca,
                allowInsecureLoopback: false,
                production: false,
                auth: {},
              },
              pace: { concurrency: "auto", maxConcurrency: 16 },
              allowEmpty: false,
              dryRun: false,
              revise: false,
              yes: false,
              showValues: flags.showValues ?? false,
            },
            { ...parts, secrets: async () => ({ apiKey: platform.apiKey }) },
          ),
      },
    );
    for await (const step of steps) {
      if (step.kind === "end") return step.exitCode;
      if (step.kind === "say") talk.lines(`${step.text}\n`);
      else {
        close();
        await reporters.text(step.report.report, write);
        talk.lines(summaryText(step.report.report));
        if (step.report.failure) sayFailure(step.report.failure, talk);
        await step.report.close();
      }
    }
    return 3;
  });
}
