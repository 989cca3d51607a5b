// Runs the examples of docs/library.md against a local platform, each as a user program.
//
//   node test/library/examples.mjs <folder>     a project into which the package is installed
//
// Each block of JavaScript is a complete program. It runs in its own folder with the demo's extract and contract, and
// with the address, certificate authority and key of the platform in PLATFORM_URL, PLATFORM_CA and PLATFORM_KEY. The
// text block after the program is its expected output.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns the programs of a page: their headings, their code, and their output if the page shows it. */
export function examplesIn(page) {
  const blocks = /^## (.+)$|^```(\w*)\n([^]*?)^```$/gm;
  const examples = [];
  let title = "";
  let previous = "";
  for (const [, heading, language, text] of page.matchAll(blocks)) {
    if (heading !== undefined) title = heading;
    else if (language === "js") examples.push({ title, code: text });
    else if (language === "text" && previous === "js") examples.at(-1).prints = text;
    previous = heading === undefined ? language : "";
  }
  return examples;
}

/** Returns the file that the package's name resolves to in the folder, and the folder of the package. */
function installed(folder) {
  const entry = realpathSync(createRequire(path.join(folder, "program.mjs")).resolve("energy-migrate"));
  let root = path.dirname(entry);
  while (!existsSync(path.join(root, "package.json"))) root = path.dirname(root);
  return { entry, root };
}

/** Runs all examples in the folder, one after another, and returns their output and exit codes. */
export async function runExamples(folder) {
  const { entry, root } = installed(folder);
  const { startSandbox } = await import(pathToFileURL(entry));
  const results = [];
  for (const example of examplesIn(readFileSync(path.join(root, "docs/library.md"), "utf8"))) {
    const sandbox = await startSandbox();
    const place = path.join(folder, `example-${results.length + 1}`);
    prepare(place, root, example.code);
    try {
      results.push({ ...example, ...(await run(place, sandbox)) });
    } finally {
      await sandbox.close();
      rmSync(place, { recursive: true });
    }
  }
  return results;
}

function prepare(place, root, code) {
  mkdirSync(place);
  const demo = path.join(root, "fixtures/demo");
  // The commands of the README write to subfolders of the demo.
  for (const entry of readdirSync(demo, { withFileTypes: true })) {
    if (entry.isFile() && entry.name !== "migrate.yaml")
      cpSync(path.join(demo, entry.name), path.join(place, entry.name));
  }
  cpSync(path.join(root, "fixtures/contract/contract.yaml"), path.join(place, "contract.yaml"));
  writeFileSync(path.join(place, "example.mjs"), code);
}

/** The time after which a program that hangs is stopped. */
const LIMIT_MS = 240_000;

function run(place, { target, credentials }) {
  const { PATH, HOME, TMPDIR } = process.env;
  const platform = { PLATFORM_URL: target.baseUrl, PLATFORM_CA: target.ca, PLATFORM_KEY: credentials.apiKey };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["example.mjs"], {
      cwd: place,
      env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...platform },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    child.once("error", reject);
    child.once("close", (exitCode, signal) => resolve({ ...said, exitCode: exitCode ?? signal }));
  });
}

function isAsShown({ exitCode, stderr, stdout, prints }) {
  return exitCode === 0 && stderr === "" && (prints === undefined || stdout === prints);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results = await runExamples(path.resolve(process.argv[2] ?? "."));
  for (const result of results) {
    const { title, exitCode, stdout, stderr } = result;
    process.stdout.write(
      isAsShown(result) ? `ok  ${title}\n` : `NOT AS SHOWN  ${title}: ${exitCode}\n${stdout}${stderr}`,
    );
  }
  process.exitCode = results.length > 0 && results.every(isAsShown) ? 0 : 1;
}
