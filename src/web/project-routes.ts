import path from "node:path";
import { Hono } from "hono";
import { hostOf } from "../job/target-connection.ts";
import type { ProjectData } from "./project-data.ts";
import type { ProjectSettings, WebProject } from "./web-project.ts";

/** `GET /` returns the project data for the header of every page. */
export function projectRoutes(project: WebProject): Hono {
  return new Hono().get("/", async (context) =>
    context.json(await project.withSettings(async (settings) => projectData(project, settings))),
  );
}

function projectData({ folder, dependencies }: WebProject, settings: ProjectSettings): ProjectData {
  const { configFile, target, supplier, job } = settings;
  return {
    name: path.basename(folder),
    ...(configFile !== undefined && { configFile }),
    isEmpty: configFile === undefined && job.sources.length === 0 && job.mapping === undefined,
    ...(target !== undefined && { target: hostOf(target) }),
    isProduction: target?.production ?? false,
    ...(supplier.code !== undefined && { supplier: supplier.code }),
    tool: dependencies.userAgent,
  };
}
