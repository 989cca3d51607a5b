import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { Failure } from "../../model/failure.ts";
import { failureDetails } from "../error-reply.ts";
import type { WebProject } from "../web-project.ts";
import { readLive, readOverview } from "./overview.ts";

const EVERY_MS = 1000;

/** `GET /`: the numbers. `GET /events`: an `OverviewEvent` each second, or a failure of reading the ledger. */
export function overviewRoutes(project: WebProject): Hono {
  const { dependencies, withSettings } = project;
  return new Hono()
    .get("/", async (context) => context.json(await withSettings((settings) => readOverview(settings, dependencies))))
    .get("/events", (context) =>
      streamSSE(context, async (stream) => {
        while (!stream.aborted && !dependencies.drain.aborted) {
          await stream.writeSSE(await eventOf(project));
          await dependencies.clock.sleep(EVERY_MS, dependencies.drain);
        }
      }),
    );
}

async function eventOf({ withSettings, dependencies, logBug }: WebProject): Promise<{ event: string; data: string }> {
  try {
    const live = await withSettings((settings) => readLive(settings, dependencies));
    return { event: "live", data: JSON.stringify(live) };
  } catch (error) {
    if (!(error instanceof Failure)) logBug(error);
    const details =
      error instanceof Failure ? failureDetails(error) : { code: "bug", message: "This is a bug in migrate" };
    return { event: "failure", data: JSON.stringify(details) };
  }
}
