// Splits the bundle into files. Node.js takes a third of a millisecond to load a file, and a millisecond to load 20 KB
// of unused code.
import path from "node:path";

/**
 * Entry files of the sets of modules that are loaded together. If several sets need a module, it is grouped with the
 * other modules that exactly these sets need. Each set then loads only a few files and no unused code.
 */
const LOADED_TOGETHER = [
  ["cli/start-program.ts", "cli/run-program.ts"],
  [
    "cli/process/context.ts",
    "commands/contract/contract-show.ts",
    "cli/views/contract/contract-view.ts",
    "commands/ledger/run-status.ts",
    "cli/views/run/status-view.ts",
  ],
  ["ledger/sqlite/sqlite-store.ts", "ledger/thread/ledger-worker.ts"],
  ["commands/check/validate.ts", "cli/views/run/run-view.ts", "pipeline/threads/chunk-worker.ts"],
  ["commands/upload/push.ts", "commands/upload/resume.ts"],
  ["job/functions/function-worker.ts"],
];

/**
 * Returns the options for splitting. The name of a group consists of the numbers of the sets above that need its
 * modules. Modules that no set needs are left to the bundler.
 * @param source the folder of the entry points
 * @param entries the entry points of the bundle, including `index`
 */
export function chunksOf(source, entries) {
  const library = LOADED_TOGETHER.length;
  const sets = [...LOADED_TOGETHER, [entries.index]].map((files) => files.map((file) => path.join(source, file)));
  const apart = new Set([...Object.values(entries), "cli/start-program.ts"].map((file) => path.join(source, file)));
  let needed;
  const name = (id, context) => {
    needed ??= sets.map((files) => neededBy(files, context));
    const numbers = needed.flatMap((modules, index) => (modules.has(id) ? [index] : []));
    // Modules that only the library needs are not grouped, because the program never loads all of them together.
    const isGrouped = !apart.has(id) && numbers.some((number) => number !== library);
    return isGrouped ? `part-${numbers.join("-")}` : null;
  };
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: "loaded together" }] };
}

/** Returns these modules and everything that they import. */
function neededBy(files, context) {
  const modules = new Set();
  const add = (id) => {
    if (modules.has(id)) return;
    modules.add(id);
    const module = context.getModuleInfo(id);
    if (module === null && files.includes(id)) throw new Error(`${id} is not in the bundle: see LOADED_TOGETHER`);
    for (const imported of module?.importedIds ?? []) add(imported);
  };
  files.forEach(add);
  return modules;
}
