// Copies the types of the library: only the declarations that its entry point imports, directly or indirectly.
import { cpSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Copies the declarations to a folder with the same relative paths. Throws if a declaration imports types from a
 * package.
 */
export function copyTypes(entry, target) {
  const from = path.dirname(entry);
  const found = new Set([entry]);
  for (const file of found) {
    const text = readFileSync(file, "utf8");
    for (const [, name] of text.matchAll(/(?:\bfrom|\bimport\()\s*"([^"]+)"/g)) {
      if (name.startsWith("node:")) continue;
      if (!name.startsWith(".")) throw new Error(`${path.relative(from, file)} imports types of ${name}`);
      const declared = path.resolve(path.dirname(file), name.replace(/\.[jt]s$/, ".d.ts"));
      if (!existsSync(declared)) throw new Error(`${path.relative(from, file)} imports ${name}, which does not exist`);
      found.add(declared);
    }
  }
  for (const file of found) cpSync(file, path.join(target, path.relative(from, file)));
}
