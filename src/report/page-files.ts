import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The style sheet and script of a page as text. The style sheet starts with the colours that all pages share. */
export interface PageFiles {
  readonly style: string;
  /** Absent for a page without a script. */
  readonly script?: string;
}

/**
 * Reads the files of a page from `../page/`. The build copies `src/page/` to `dist/page/`, which is next to the folder
 * of the compiled file and to the folder of the bundle.
 */
export async function readPageFiles({ script }: { readonly script: boolean }): Promise<PageFiles> {
  const style = `${await textOf("shared.css")}${await textOf("page.css")}`;
  return { style, ...(script && { script: await textOf("report.js") }) };
}

const FOLDER = new URL("../page/", import.meta.url);

function textOf(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(name, FOLDER)), "utf8");
}
