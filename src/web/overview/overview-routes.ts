import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { errorDetails } from "../error-reply.ts";
import type { WebPush } from "../push/web-push.ts";
import type { WebProject } from "../web-project.ts";
import type { OverviewMessage } from "./overview-data.ts";
import { readLive, readOverview } from "./overview.ts";

const EVERY_MS = 1000;

/** `GET /` returns the numbers. `GET /events` sends an `OverviewMessage` every second. */
export function overviewRoutes(project: WebProject, webPush: WebPush): Hono {
  const { dependencies, withSettings } = project;
  return new Hono()
    .get("/", async (context) => context.json(await withSettings((settings) => readOverview(settings, dependencies))))
    .get("/events", (context) =>
      streamSSE(context, async (stream) => {
        while (!stream.aborted && !dependencies.drain.aborted) {
          await stream.writeSSE({ data: JSON.stringify(await messageOf(project, webPush)) });
          await dependencies.clock.sleep(EVERY_MS, dependencies.drain);
        }
      }),
    );
}

async function messageOf(
  { withSettings, dependencies, logBug }: WebProject,
  { state }: WebPush,
): Promise<OverviewMessage> {
  try {
    const live = await withSettings((settings) => readLive(settings, dependencies));
    return { kind: "live", event: { ...live, push: state() } };
  } catch (error) {
    return { kind: "failure", error: errorDetails(error, logBug) };
  }
}
