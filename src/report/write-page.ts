import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { html, type Html } from "./page/html.ts";
import type { Write } from "./report.ts";

interface Page {
  readonly title: string;
  readonly content: readonly Html[];
  readonly hasScript: boolean;
}

/**
 * Writes a page that consists of a single file. The page loads nothing from a network. Its content security policy
 * allows only the style sheet and the script of this program, by their hashes. Therefore, a browser does not run a
 * script that is in the data.
 */
export async function writePage({ title, content, hasScript }: Page, write: Write): Promise<void> {
  // The style sheet starts with the colours that all pages share.
  const style = `${await textOf("shared.css")}${await textOf("page.css")}`;
  const script = hasScript ? await textOf("report.js") : undefined;
  const policy = [
    "default-src 'none'",
    `style-src ${sourceHash(style)}`,
    `script-src ${script === undefined ? "'none'" : sourceHash(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ];
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="robots" content="noindex">',
    '<meta name="color-scheme" content="light dark">',
    html`<title>${title}</title>`.markup,
    `<style>${style}</style>`,
  ];
  await write(`<!doctype html>\n<html lang="en">\n<head>\n${head.join("\n")}\n</head>\n<body>\n`);
  for (const { markup } of content) await write(markup);
  await write(`${script === undefined ? "" : `<script>${script}</script>\n`}</body>\n</html>\n`);
}

/**
 * The build copies `src/page/` to `dist/page/`, which is next to the folder of the compiled file and to the folder of
 * the bundle.
 */
const FOLDER = new URL("../page/", import.meta.url);

function textOf(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(name, FOLDER)), "utf8");
}

function sourceHash(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
