import { Hono } from "hono";
import { expect, test } from "vitest";
import { readSettings } from "../../../src/cli/settings/settings.ts";
import { problemRoutes } from "../../../src/web/problems/problem-routes.ts";
import { initDependencies } from "../../commands/init/init-scene.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { demoProject } from "../web-scene.ts";

test("the problems of the files are not read to the end for a page that has been closed", async () => {
  const folder = demoProject();
  const errors: unknown[] = [];
  const app = new Hono().route(
    "/",
    problemRoutes({
      folder,
      operator: "ann@desk",
      dependencies: initDependencies(temporaryFolder()),
      withSettings: async (action) => action(await readSettings([], {}, folder)),
      checkBeforeSending: () => Promise.resolve(),
      configSchema: () => ({}),
      logBug: (error) => errors.push(error),
    }),
  );
  app.onError((error, context) => {
    errors.push(error);
    return context.body(null, 500);
  });
  expect((await app.request("/?basis=files")).status).toBe(200);
  expect((await app.request("/?basis=files", { signal: AbortSignal.abort() })).status).toBe(500);
  expect(errors).toMatchObject([{ code: "incomplete" }]);
});
