// A lint rule that restricts imports between the rooms of src/. The table is in .oxlintrc.json:
//
//   "rooms/imports": ["error", { "map": ["model", "contract"], ... }]
//
// A room is a folder of src/, or a deeper folder that the table names (`rules/language`). A room that does not list
// `node:` is pure: it must not import modules of Node.js. A file directly in src/ is a separate room if the table names
// the file (`index.ts`); all other files directly in src/ form the room `.`. A room that is not in the table is an
// error.
import path from "node:path";

const SOURCE = path.join(import.meta.dirname, "../src");

const imports = {
  meta: { schema: [{ type: "object" }] },
  create(context) {
    const [table] = context.options;
    const room = roomOf(context.filename, table);
    if (room === undefined) return {};
    const check = (node) => {
      const specifier = node.source?.value;
      const message = typeof specifier === "string" ? complaint(specifier, room) : undefined;
      if (message !== undefined) context.report({ node, message });
    };
    const complaint = (specifier, from) => {
      const allowed = table[from];
      if (allowed === undefined) return `src/${from} is not in the table of rooms (.oxlintrc.json)`;
      if (specifier.startsWith("node:"))
        return allowed.includes("node:") ? undefined : `${from}/ is pure: no ${specifier}`;
      if (!specifier.startsWith(".")) return undefined;
      const to = roomOf(path.resolve(path.dirname(context.filename), specifier), table);
      if (to === from || allowed.includes(to)) return undefined;
      return `${from}/ may import only from: ${allowed.join(", ") || "nothing"}; this is ${to}/`;
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

/**
 * Returns the room of a file: the deepest folder that the table names, otherwise the top folder. Undefined outside
 * src/.
 */
function roomOf(file, table) {
  const folders = path.relative(SOURCE, path.dirname(file)).split(path.sep);
  if (folders[0] === "..") return undefined;
  if (folders[0] === "") return Object.hasOwn(table, path.basename(file)) ? path.basename(file) : ".";
  for (let length = folders.length; length > 0; length -= 1) {
    const name = folders.slice(0, length).join("/");
    if (Object.hasOwn(table, name)) return name;
  }
  return folders[0];
}

export default { meta: { name: "rooms" }, rules: { imports } };
