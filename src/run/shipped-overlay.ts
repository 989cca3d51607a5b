import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { suggest } from "../contract/suggest.ts";
import { Failure } from "../model/failure.ts";
import { readTextFile, type TextFile } from "../read/text-file.ts";

const PREFIX = "overlay:";
const FOLDER = fileURLToPath(new URL("../overlays/", import.meta.url));

/** True for `overlay:<name>`, which stands for an overlay that the package ships. */
export function isShippedOverlay(file: string): boolean {
  return file.startsWith(PREFIX);
}

/** Where a file of a contract lies: itself, or what `overlay:<name>` stands for. */
export function contractPath(file: string): string {
  return isShippedOverlay(file) ? `${FOLDER}${file.slice(PREFIX.length)}.yaml` : file;
}

/**
 * The text of `overlay:<name>`, known by that name.
 * @throws Failure `usage` for a name that is not there
 */
export async function readShippedOverlay(file: string): Promise<TextFile> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml")).map((name) => name.slice(0, -5));
  const name = file.slice(PREFIX.length);
  if (names.includes(name)) return { file, text: (await readTextFile(contractPath(file))).text };
  const near = suggest(name, names);
  throw new Failure("usage", `this version ships no overlay named "${name}"`, {
    hint: near === undefined ? `there are ${names.toSorted().join(", ")}` : `did you mean "${PREFIX}${near}"?`,
  });
}
