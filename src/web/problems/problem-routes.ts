import { type Context, Hono } from "hono";
import { RefusedRequest } from "../error-reply.ts";
import { stoppable } from "../stoppable.ts";
import type { WebProject } from "../web-project.ts";
import { findProblems, type FoundProblems } from "./problems.ts";
import type { Basis, CauseRows } from "./problems-data.ts";

/**
 * `GET /?basis=migration|files` returns the causes. `GET /rows?basis=...&cause=<id>` returns the rows of a cause, as
 * they were when the causes were last requested.
 */
export function problemRoutes(project: WebProject): Hono {
  const latest = new Map<Basis, FoundProblems>();
  const find = async (basis: Basis | undefined, context: Context): Promise<FoundProblems> => {
    const dependencies = stoppable(project.dependencies, context);
    const found = await project.withSettings((settings) => findProblems(settings, basis, dependencies));
    latest.set(found.data.basis, found);
    return found;
  };
  return new Hono()
    .get("/", async (context) => context.json((await find(basisOf(context), context)).data))
    .get("/rows", async (context) => {
      const basis = basisOf(context) ?? "migration";
      const { rows } = latest.get(basis) ?? (await find(basis, context));
      const reply: CauseRows = { rows: rows(context.req.query("cause") ?? "") };
      return context.json(reply);
    });
}

function basisOf({ req }: Context): Basis | undefined {
  const basis = req.query("basis");
  if (basis === undefined || basis === "migration" || basis === "files") return basis;
  throw new RefusedRequest(400, "invalid_request", "The basis must be `migration` or `files`");
}
