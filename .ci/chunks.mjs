// How the bundle is cut into files: on Node.js a module in a file of its own takes a third of a millisecond to find, and
// code that is loaded and not used takes a millisecond for each 20 KB.
import path from "node:path";

/**
 * What is loaded together, by the files that it begins with. A module that several of these need lies with the others that
 * the same ones need, so that each loads a few files, and nothing that it has no use for.
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
 * How the bundle is cut: a module lies with those of the same name, the numbers of the sets above that need it. What none
 * of them needs is cut by the bundler itself.
 * @param entries names of files that something outside of the bundle names, `index` among them, in the folder `source`
 */
export function chunksOf(source, entries) {
  const library = LOADED_TOGETHER.length;
  const sets = [...LOADED_TOGETHER, [entries.index]].map((files) => files.map((file) => path.join(source, file)));
  const apart = new Set([...Object.values(entries), "cli/start-program.ts"].map((file) => path.join(source, file)));
  let needed;
  const name = (id, context) => {
    needed ??= sets.map((files) => neededBy(files, context));
    const numbers = needed.flatMap((modules, index) => (modules.has(id) ? [index] : []));
    // Many modules of other commands are needed by the library alone. They are not grouped.
    const isGrouped = !apart.has(id) && numbers.some((number) => number !== library);
    return isGrouped ? `part-${numbers.join("-")}` : null;
  };
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: "loaded together" }] };
}

/** These modules, and all that has to be loaded before them. */
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
