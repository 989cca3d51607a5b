import type { Context } from "hono";
import type { Dependencies } from "../job/dependencies.ts";

/** Returns dependencies that cancel the work when the page no longer waits for the reply. */
export function stoppable(dependencies: Dependencies, { req }: Context): Dependencies {
  return { ...dependencies, drain: AbortSignal.any([dependencies.drain, req.raw.signal]) };
}
