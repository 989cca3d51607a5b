import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseDocument } from "../contract/document.ts";
import { suggest } from "../model/suggest.ts";
import { Failure } from "../model/failure.ts";
import { isJsonArray, type JsonValue, valueAt } from "../model/json.ts";
import { readTextFile, type TextFile } from "../read/text-file.ts";

const PREFIX = "overlay:";
const FOLDER = fileURLToPath(new URL("../overlays/", import.meta.url));
/** What the documents of several operators have alike; it stands before each of the others. */
const SHARED = "shared";

/** True for `overlay:<name>`, which stands for overlays that the package ships. */
export function isShippedOverlay(file: string): boolean {
  return file.startsWith(PREFIX);
}

/** Where a file of a contract lies: itself, or the overlays that `overlay:<name>` stands for, in their order. */
export function contractPaths(file: string): readonly string[] {
  return isShippedOverlay(file) ? [SHARED, nameOf(file)].map((name) => `${FOLDER}${name}.yaml`) : [file];
}

/**
 * The texts of `overlay:<name>`, in their order, known by such names.
 * @throws Failure `usage` for a name that is not there
 */
export async function readShippedOverlay(file: string): Promise<readonly TextFile[]> {
  const names = await shippedNames();
  const name = nameOf(file);
  if (names.includes(name)) {
    const paths = contractPaths(file);
    const texts = await Promise.all(paths.map(async (path) => (await readTextFile(path)).text));
    return texts.map((text, index) => ({ file: index === 0 ? `${PREFIX}${SHARED}` : file, text }));
  }
  const near = suggest(name, names);
  throw new Failure("usage", `this version ships no overlay named "${name}"`, {
    hint: near === undefined ? `there are ${names.toSorted().join(", ")}` : `did you mean "${PREFIX}${near}"?`,
  });
}

/** For every code that a rule of a shipped overlay reports, the overlays that have one: `overlay:<name>`. */
export async function shippedRuleCodes(): Promise<ReadonlyMap<string, readonly string[]>> {
  const overlays = new Map<string, readonly string[]>();
  for (const name of await shippedNames()) {
    const overlay = `${PREFIX}${name}`;
    const texts = await readShippedOverlay(overlay);
    const codes = new Set(texts.flatMap((text) => ruleCodesOf(parseDocument(text).value)));
    for (const code of codes) overlays.set(code, [...(overlays.get(code) ?? []), overlay]);
  }
  return overlays;
}

function ruleCodesOf(overlay: JsonValue): readonly string[] {
  const actions = valueAt(overlay, ["actions"]);
  const lists = (isJsonArray(actions) ? actions : []).map((action) => valueAt(action, ["update", "x-rules"]));
  return lists
    .flatMap((list) => (isJsonArray(list) ? list : []))
    .flatMap((rule) => {
      const code = valueAt(rule, ["code"]);
      return typeof code === "string" ? [code] : [];
    });
}

async function shippedNames(): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
  return files.map((name) => name.slice(0, -5)).filter((name) => name !== SHARED);
}

function nameOf(file: string): string {
  return file.slice(PREFIX.length);
}
