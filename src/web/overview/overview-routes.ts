import { Hono } from "hono";
import { errorDetails } from "../error-reply.ts";
import type { WebPush } from "../push/web-push.ts";
import type { WebProject } from "../web-project.ts";
import type { OverviewMessage } from "./overview-data.ts";
import { readLive, readOverview } from "./overview.ts";

/** `GET /` returns the numbers. `GET /live` returns an `OverviewMessage`; pages request it every second. */
export function overviewRoutes(project: WebProject, webPush: WebPush): Hono {
  const { dependencies, withSettings } = project;
  return new Hono()
    .get("/", async (context) => context.json(await withSettings((settings) => readOverview(settings, dependencies))))
    .get("/live", async (context) => context.json(await messageOf(project, webPush)));
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
