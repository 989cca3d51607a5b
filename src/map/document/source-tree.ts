import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { plural } from "../../text/count.ts";
import type { MappingDocument, SourceEntry } from "./mapping-document.ts";
import { listed } from "../../text/suggestion.ts";
import { collectIssues, didYouMean, type Issues } from "./mapping-issues.ts";

/** Sources from the command line, and a resolver for paths in the mapping. */
export interface GivenSources {
  readonly positional: readonly string[];
  /** Files by source name, from `--source name=path`. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /**
   * Whether sources without files in `positional` or `named` have no rows, even if the mapping names files for them.
   */
  readonly isComplete?: boolean;
  /** Resolves a path or glob of the mapping against the mapping's folder. */
  readonly resolve: (path: string) => string;
}

/** The source name for a mapping without named sources. */
export const ONLY_SOURCE = "records";

/**
 * Assigns files to sources and determines how the sources are joined. Positional files belong to the only source
 * without files, or otherwise to the root source. Files from the command line replace the files in the
 * mapping. Throws a Failure `mapping_invalid` if the sources do not form one tree, and `usage` if a source is unknown,
 * has no files, or has positional and named files.
 */
export function planSources(document: MappingDocument, given: GivenSources): SourceSpec {
  const entries = document.sources.size > 0 ? document.sources : new Map([[ONLY_SOURCE, {}]]);
  const root = rootOf(entries, document);
  refuseUnknownNames(entries, given);
  const files = filesBySource(entries, root, given);
  return specOf(root, entries, files);
}

/** Returns the root source. Throws a Failure `mapping_invalid` if the sources do not form one tree. */
export function rootSource(document: MappingDocument): string {
  return document.sources.size > 0 ? rootOf(document.sources, document) : ONLY_SOURCE;
}

type Entries = ReadonlyMap<string, SourceEntry>;
type Files = ReadonlyMap<string, readonly string[]>;

function rootOf(entries: Entries, document: MappingDocument): string {
  const issues = collectIssues(document);
  for (const [name, entry] of entries) checkJoin(name, entry, entries, issues);
  issues.raise();
  const roots = [...entries.keys()].filter((name) => entries.get(name)?.parent === undefined);
  const [root, second] = roots;
  if (root === undefined) issues.add(["sources"], "every source has a parent; one source must have none");
  if (second !== undefined) {
    const hint = "give all but one of them a parent, and a column (on) that contains the parent's key";
    const message = `${listed(roots)} have no parent; only one source can be the source of the records`;
    issues.add(["sources", second], message, hint);
  }
  for (const name of entries.keys()) {
    if (isInCycle(name, entries)) issues.add(["sources", name, "parent"], "the source is its own ancestor");
  }
  issues.raise();
  return root ?? ONLY_SOURCE;
}

function checkJoin(name: string, entry: SourceEntry, entries: Entries, issues: Issues): void {
  const path = ["sources", name];
  if (entry.parent !== undefined && entry.asOf !== undefined) {
    issues.add([...path, "asOf"], "has no effect in a source with a parent");
  }
  if (entry.parent === undefined) {
    for (const option of ["on", "orderBy", "distinct", "pick"] as const) {
      if (entry[option] !== undefined) issues.add([...path, option], "has no effect in the root source");
    }
    return;
  }
  const parent = entries.get(entry.parent);
  if (parent === undefined) {
    const hint = didYouMean(entry.parent, [...entries.keys()]);
    issues.add([...path, "parent"], `there is no source "${entry.parent}"`, hint);
  } else if (parent.key === undefined && entry.parentKey === undefined) {
    const hint = `add \`key\`: the column of "${entry.parent}" that "${name}" refers to`;
    issues.add(["sources", entry.parent], `is the parent of "${name}", but has no key`, hint);
  }
  if (entry.on === undefined) {
    issues.add(path, "has a parent, but no column to join on", "add `on`: the column that contains the parent's key");
  }
}

function isInCycle(name: string, entries: Entries): boolean {
  const seen = new Set<string>();
  let ancestor = entries.get(name)?.parent;
  while (ancestor !== undefined && !seen.has(ancestor)) {
    if (ancestor === name) return true;
    seen.add(ancestor);
    ancestor = entries.get(ancestor)?.parent;
  }
  return false;
}

function refuseUnknownNames(entries: Entries, given: GivenSources): void {
  for (const name of given.named.keys()) {
    if (entries.has(name)) continue;
    const hint = didYouMean(name, [...entries.keys()]);
    throw new Failure("usage", `--source ${name}=...: the mapping has no source "${name}"`, { hint });
  }
}

function filesBySource(entries: Entries, root: string, given: GivenSources): Files {
  if (given.isComplete === true) return new Map([[root, given.positional], ...given.named]);
  const files = new Map<string, readonly string[]>();
  for (const [name, entry] of entries) {
    const paths = given.named.get(name) ?? entry.files?.map(given.resolve);
    if (paths !== undefined && paths.length > 0) files.set(name, paths);
  }
  if (given.positional.length > 0) {
    const [source = root, second] = namesWithout(files, entries);
    const target = second === undefined ? source : root;
    refuseNamedTwice(target, files, given);
    files.set(target, given.positional);
  }
  const without = namesWithout(files, entries);
  if (without.length === 0) return files;
  throw noFiles(without, entries.size === 1);
}

function namesWithout(files: Files, entries: Entries): readonly string[] {
  return [...entries.keys()].filter((name) => !files.has(name));
}

function refuseNamedTwice(source: string, files: Files, { named }: GivenSources): void {
  if (!files.has(source) || !named.has(source)) return;
  throw new Failure("usage", `the files of source ${source} are named both with --source and without it`, {
    hint: `use only one form: --source ${source}=<path>, or only <path>`,
  });
}

function noFiles(sources: readonly string[], only: boolean): Failure {
  const hint = only
    ? "name the file to read, or - for standard input"
    : `name them: --source ${sources[0] ?? ""}=<path>, or \`files\` in the mapping`;
  return new Failure("usage", `no files were given for ${plural(sources.length, "source")} ${listed(sources)}`, {
    hint,
  });
}

function specOf(name: string, entries: Entries, files: Files): SourceSpec {
  const { sheet, key, rename } = entries.get(name) ?? {};
  const children = childrenOf(name, entries, files);
  return { name, files: files.get(name) ?? [], children, ...definedMembers({ sheet, key, rename }) };
}

function childrenOf(parent: string, entries: Entries, files: Files): readonly ChildSpec[] {
  return [...entries].flatMap(([name, { parent: ownParent, on, parentKey, orderBy, distinct, pick }]) =>
    ownParent !== parent || on === undefined
      ? []
      : {
          ...specOf(name, entries, files),
          on,
          ...definedMembers({ parentKey, orderBy, distinct, pick }),
        },
  );
}
