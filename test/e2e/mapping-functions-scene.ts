import { workFolder } from "./validate-scene.ts";

const ROWS = "REF,NAME\nK1,Ann\nK2,Bob\nK3,Cid\n";

/** A mapping that passes the name through the `f` function. */
const MAPPING = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: REF, name: { from: NAME, call: f } }
`;

/** Creates a folder with the module of functions, a mapping that calls `f`, and an extract of three rows. */
export function folderWith(functions: string, more: Readonly<Record<string, string>> = {}): string {
  return workFolder({ "mapping.yaml": MAPPING, "functions.mjs": functions, "accounts.csv": ROWS, ...more });
}

/** Returns a module whose `f` function runs this code for Bob, who is on line 3 of `accounts.csv`. */
export const forBob = (does: string): string =>
  `import { close, closeSync } from "node:fs"; import { kill } from "node:process"; import { Worker } from "node:worker_threads"; export function f(value) {\n  if (value === "Bob") ${does};\n  return value;\n}\n`;
