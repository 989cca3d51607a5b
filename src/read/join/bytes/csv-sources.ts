import type { OpenedFile } from "../../input/opened-file.ts";
import type { OpenedChild, OpenedSource } from "../../input/opened-source.ts";

type OpenedCsv = Extract<OpenedFile, { readonly kind: "csv" }>;

/** A root source and its child sources, all of them CSV files. */
export interface CsvSource extends OpenedSource {
  readonly files: readonly OpenedCsv[];
  readonly children: readonly CsvChild[];
}

export interface CsvChild extends OpenedChild {
  readonly files: readonly OpenedCsv[];
}

/**
 * Returns the sources of a join as CSV sources. Returns undefined if there are no child sources, if a file is not CSV,
 * if a child source has children or its own key, or if rows are omitted or amended.
 */
export function csvSources(root: OpenedSource): CsvSource | undefined {
  const files = csvFiles(root);
  const children = root.children.flatMap((child) => {
    const below = isSimple(child) ? csvFiles(child) : undefined;
    return below === undefined ? [] : [{ ...child, files: below }];
  });
  if (files === undefined || root.amend !== undefined || children.length < root.children.length) return undefined;
  return children.length === 0 ? undefined : { ...root, files, children };
}

function isSimple({ key, distinct, pick, amend, children }: OpenedChild): boolean {
  return key === undefined && !distinct && pick === undefined && amend === undefined && children.length === 0;
}

function csvFiles({ files }: OpenedSource): readonly OpenedCsv[] | undefined {
  const texts = files.filter((file) => file.kind === "csv");
  return texts.length === files.length ? texts : undefined;
}
