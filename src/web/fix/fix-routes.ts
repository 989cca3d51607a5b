import { type Context, Hono } from "hono";
import { z } from "zod";
import { definedMembers } from "../../json/defined-members.ts";
import { requestBody, requestQuery } from "../request-body.ts";
import type { WebProject } from "../web-project.ts";
import { createFixProject } from "./fix-project.ts";
import type { FixSession } from "./fix-session.ts";
import { type CellText, type EditedCells, type EditResult, type FixChanges, MAX_EDITED_CELLS } from "./fix-types.ts";

const INDEX = z.coerce.number().int().min(0).max(1_000_000_000);
const FILTER = { session: z.string(), source: INDEX, cause: INDEX };
const SHOWN = z.enum(["shown", "hidden"]).transform((text) => text === "shown");

const ROWS = z.object({ ...FILTER, from: INDEX, count: INDEX.max(500), values: SHOWN });
const VALUES = z.object({ ...FILTER, column: INDEX, values: SHOWN });
const CHANGES = z.object({ session: z.string(), seen: INDEX, values: SHOWN });
const CELL = z.object({ session: z.string(), row: INDEX, column: INDEX });

const EDITOR = { session: z.string(), tab: z.string().min(1).max(64), seen: INDEX, values: SHOWN };
const EDITS = z.object({
  ...EDITOR,
  ...FILTER,
  cells: z.array(z.object({ position: INDEX, column: INDEX, value: z.string().nullable() })).max(MAX_EDITED_CELLS),
});
const FILL = z.object({ ...EDITOR, ...FILTER, columns: z.array(INDEX).max(1000), first: INDEX, last: INDEX });
const REPLACE = z.object({ ...EDITOR, ...FILTER, column: INDEX, from: z.string().nullable(), value: z.string() });
const UNDO = z.object(EDITOR);
const UNFINISHED = z.object({ ...EDITOR, at: z.string(), action: z.enum(["keep", "undo"]) });

/**
 * `GET /` returns the state; the first request starts a check. `POST /check` checks again. All other requests name
 * their session, and fail with `session_changed` if the project has been checked again since. `values` selects whether
 * replies contain values or their shapes.
 */
export function fixRoutes(project: WebProject): Hono {
  const fix = createFixProject(project);
  const edited = async <Body extends z.infer<typeof UNDO>>(
    context: Context,
    schema: z.ZodType<Body>,
    work: (session: FixSession, body: Body) => Promise<EditedCells>,
  ): Promise<Response> => {
    const body = await requestBody(context, schema);
    const session = fix.session(body.session);
    const result: EditResult = { ...(await work(session, body)), ...changesOf(session, body.seen, body.values) };
    return context.json(result);
  };
  return new Hono()
    .get("/", async (context) => context.json(await fix.state()))
    .post("/check", async (context) => {
      await requestBody(context, z.object({}));
      await fix.check();
      return context.json(await fix.state());
    })
    .get("/rows", (context) => {
      const { session, values, ...range } = requestQuery(context, ROWS);
      return context.json(fix.session(session).rows(range, values));
    })
    .get("/values", async (context) => {
      const { session, values, ...column } = requestQuery(context, VALUES);
      return context.json(values ? await fix.session(session).values(column) : []);
    })
    .get("/cell", (context) => {
      const { session, row, column } = requestQuery(context, CELL);
      const value: CellText = { value: fix.session(session).value(row, column) ?? "" };
      return context.json(value);
    })
    .get("/changes", async (context) => {
      const { session, seen, values } = requestQuery(context, CHANGES);
      const opened = fix.session(session);
      await opened.refresh();
      return context.json(changesOf(opened, seen, values));
    })
    .post("/edits", (context) => edited(context, EDITS, (session, body) => session.edit(body, body)))
    .post("/fill", (context) => edited(context, FILL, (session, body) => session.fillDown(body, body)))
    .post("/replace", (context) => edited(context, REPLACE, (session, body) => session.replace(body, body)))
    .post("/undo", (context) => edited(context, UNDO, (session, body) => session.undo(body)))
    .post("/unfinished", (context) =>
      edited(context, UNFINISHED, (session, { at, action }) => session.settleUnfinished(at, action)),
    );
}

function changesOf(session: FixSession, seen: number, showValues: boolean): FixChanges {
  const { seq, records, causes, changedFile, progress, unfinished } = session.overview();
  const overview = { records, causes, ...definedMembers({ changedFile, progress, unfinished }) };
  return { seq, ...session.changedSince(seen, showValues), overview };
}
