import { createHash } from "node:crypto";
import type { PageFiles } from "../page-files.ts";
import { html, type Html } from "./html.ts";

/** The parts of a page that do not depend on its content. */
export interface PageFrame {
  /** Everything before the content. */
  readonly start: Html;
  /** Everything after the content. */
  readonly end: Html;
}

/**
 * Creates the start and the end of a page that consists of a single file. The page loads nothing from a network. Its
 * content security policy allows only the style sheet and the script of this program, by their hashes. Therefore, a
 * browser does not run a script that is in the data.
 */
export function pageFrame(title: string, { style, script }: PageFiles): PageFrame {
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
  const behind = script === undefined ? "" : `<script>${script}</script>\n`;
  return {
    start: { markup: `<!doctype html>\n<html lang="en">\n<head>\n${head.join("\n")}\n</head>\n<body>\n` },
    end: { markup: `${behind}</body>\n</html>\n` },
  };
}

function sourceHash(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
