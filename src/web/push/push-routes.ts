import { Hono } from "hono";
import { z } from "zod";
import { requestBody } from "../request-body.ts";
import type { WebPush } from "./web-push.ts";

const startSchema = z.object({ plan: z.string(), typed: z.string() });

/** Each route returns the `PushState`, which is also part of each overview event. */
export function pushRoutes(webPush: WebPush): Hono {
  return new Hono()
    .get("/", (context) => context.json(webPush.state()))
    .post("/check", (context) => {
      webPush.check();
      return context.json(webPush.state());
    })
    .post("/start", async (context) => {
      const { plan, typed } = await requestBody(context, startSchema);
      webPush.start(plan, typed);
      return context.json(webPush.state());
    })
    .post("/stop", (context) => {
      webPush.stop();
      return context.json(webPush.state());
    })
    .post("/dismiss", (context) => {
      webPush.dismiss();
      return context.json(webPush.state());
    });
}
