import { Hono } from "hono";
import { z } from "zod";
import { definedMembers } from "../../json/defined-members.ts";
import { requestBody, requestQuery } from "../request-body.ts";
import type { WebProject } from "../web-project.ts";
import { createFixProject, type FixProject } from "./fix-project.ts";
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
    .post("/edits", async (context) => {
      const { cells, source, cause, ...editor } = await requestBody(context, EDITS);
      return context.json(await edited(fix, editor, (session) => session.edit({ source, cause, cells }, editor)));
    })
    .post("/fill", async (context) => {
      const { columns, first, last, source, cause, ...editor } = await requestBody(context, FILL);
      const fill = { columns, first, last, source, cause };
      return context.json(await edited(fix, editor, (session) => session.fillDown(fill, editor)));
    })
    .post("/replace", async (context) => {
      const { column, from, value, source, cause, ...editor } = await requestBody(context, REPLACE);
      const replacement = { column, from, value, source, cause };
      return context.json(await edited(fix, editor, (session) => session.replace(replacement, editor)));
    })
    .post("/undo", async (context) => {
      const editor = await requestBody(context, UNDO);
      return context.json(await edited(fix, editor, (session) => session.undo(editor)));
    })
    .post("/unfinished", async (context) => {
      const { at, action, ...editor } = await requestBody(context, UNFINISHED);
      return context.json(await edited(fix, editor, (session) => session.settleUnfinished(at, action)));
    });
}

async function edited(
  fix: FixProject,
  { session: id, seen, values }: { readonly session: string; readonly seen: number; readonly values: boolean },
  work: (session: FixSession) => Promise<EditedCells>,
): Promise<EditResult> {
  const session = fix.session(id);
  return { ...(await work(session)), ...changesOf(session, seen, values) };
}

function changesOf(session: FixSession, seen: number, showValues: boolean): FixChanges {
  const { seq, records, causes, changedFile, progress, unfinished } = session.overview();
  const overview = { records, causes, ...definedMembers({ changedFile, progress, unfinished }) };
  return { seq, ...session.changedSince(seen, showValues), overview };
}
