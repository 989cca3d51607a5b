import { type Context, Hono } from "hono";
import { z } from "zod";
import { requestBody } from "../request-body.ts";
import type { WebPush } from "./web-push.ts";

const startSchema = z.object({ plan: z.string(), typed: z.string() });

/** Each route returns the `PushState`, which is also part of each overview event. */
export function pushRoutes(webPush: WebPush): Hono {
  const stateAfter = (context: Context, action: () => void): Response => {
    action();
    return context.json(webPush.state());
  };
  return new Hono()
    .get("/", (context) => context.json(webPush.state()))
    .post("/check", (context) => stateAfter(context, webPush.check))
    .post("/start", async (context) => {
      const { plan, typed } = await requestBody(context, startSchema);
      return stateAfter(context, () => webPush.start(plan, typed));
    })
    .post("/stop", (context) => stateAfter(context, webPush.stop))
    .post("/dismiss", (context) => stateAfter(context, webPush.dismiss));
}
