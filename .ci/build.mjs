// Compiles src/ into a fresh dist/, and stamps it so that setup.mjs can tell when it is stale.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
rmSync(path.join(root, "dist"), { recursive: true, force: true });
const compiler = path.join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", root], { stdio: ["ignore", "inherit", "inherit"] });
if (status === 0) {
  cpSync(path.join(root, "src/overlays"), path.join(root, "dist/overlays"), { recursive: true });
  writeFileSync(path.join(root, "dist/.built"), hashOfBuild());
}
process.exit(status ?? 1);

// What tells one build from the next: the cache of compiled contracts goes by it.
function hashOfBuild() {
  const hash = createHash("sha256");
  const files = readdirSync(path.join(root, "dist"), { recursive: true }).filter((name) => name.endsWith(".js"));
  for (const name of files.toSorted()) hash.update(name).update(readFileSync(path.join(root, "dist", name)));
  return hash.digest("hex");
}
