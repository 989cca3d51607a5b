// Compiles src/ into a fresh dist/, and stamps it so that setup.mjs can tell when it is stale.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
rmSync(path.join(root, "dist"), { recursive: true, force: true });
const compiler = path.join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", root], { stdio: ["ignore", "inherit", "inherit"] });
if (status === 0) writeFileSync(path.join(root, "dist/.built"), "");
process.exit(status ?? 1);
