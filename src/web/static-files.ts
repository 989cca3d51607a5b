import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";

/** The addresses of the pages. All pages share one document. */
const PAGES = ["/", "/problems", "/fix", "/mapping"];

const TYPES: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
};

/** Serves the built client, which contains no data. */
export function staticFiles(): Hono {
  const app = new Hono();
  for (const page of PAGES) app.get(page, () => fileReply("index.html"));
  for (const name of ["app.js", "app.css"]) app.get(`/${name}`, () => fileReply(name));
  app.get("/favicon.ico", (context) => context.body(null, 204));
  return app;
}

/** `dist/browser/`, next to the folder of the compiled file and to the folder of the bundle. */
const FOLDER = new URL("../browser/", import.meta.url);

async function fileReply(name: string): Promise<Response> {
  const text = await readFile(fileURLToPath(new URL(name, FOLDER)));
  return new Response(new Uint8Array(text), { headers: { "Content-Type": TYPES[name] ?? "" } });
}
