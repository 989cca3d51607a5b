import { Hono } from "hono";
import { expect, it } from "vitest";
import { checkHost } from "../../../src/web/security/guard.ts";

it("accepts a host without a port only on port 80, which browsers omit", async () => {
  for (const [port, status] of [
    [80, 200],
    [8080, 500],
  ] as const) {
    const app = new Hono().use(checkHost(() => port)).get("/", (context) => context.text("served"));
    app.onError((_error, context) => context.text("refused", 500));
    const reply = await app.request("/", { headers: { host: "127.0.0.1" } });
    expect([port, reply.status]).toEqual([port, status]);
  }
});
