import { checkCorrections } from "../../corrections/check-corrections.ts";
import { correctionText, refuseUnexplained } from "../../corrections/correction-text.ts";
import { readManifest } from "../../corrections/read-manifest.ts";
import type { KeyColumns } from "../../corrections/returned-rows.ts";
import { savedEncoding } from "../../corrections/saved-encoding.ts";
import type { Mapping } from "../../map/mapping.ts";
import { isCsvRow } from "../../model/record.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import type { ReadOptions } from "../../read/input/open-input.ts";
import { withDescendants } from "../../read/input/opened-source.ts";
import { findFiles } from "../../read/input/source-files.ts";
import { DEFAULT_LIMITS } from "../../read/read-limits.ts";
import type { Dependencies } from "../dependencies.ts";
import type { RejectsSettings } from "./rejects-settings.ts";

/** The options for reading the rejects, after their changes have been checked. */
export interface OpenedRejects {
  readonly reading: Required<Pick<ReadOptions, "encodingOf" | "amend">> & Pick<ReadOptions, "delimiter">;
  readonly close: () => Promise<void>;
}

export interface RejectsContext {
  readonly plan: SourceSpec;
  readonly mapping: Mapping;
  readonly rejects: RejectsSettings;
  /** Encoding of the run's sources, if it was declared. */
  readonly encoding: string | undefined;
  readonly showValues: boolean;
  readonly dependencies: Pick<Dependencies, "temporaryFolder" | "notice">;
}

/**
 * Reports the changes to rejects since their export.
 * @throws Failure `rejects_changed` for changes that were neither requested nor accepted
 */
export async function openRejects(context: RejectsContext): Promise<OpenedRejects> {
  const { plan, mapping, rejects, showValues, dependencies } = context;
  const { temporaryFolder: tempFolder, notice } = dependencies;
  const encodings = await encodingsOf(context);
  const encodingOf = (path: string): string | undefined => encodings.get(path);
  const delimiter = rejects.delimiter === undefined ? {} : { delimiter: rejects.delimiter };
  const reading = {
    encoding: undefined,
    encodingOf,
    delimiter: rejects.delimiter,
    limits: DEFAULT_LIMITS,
    notify: () => undefined,
    displayName: (path: string) => path,
  };
  const { findings, restore, close } = await checkCorrections(plan, {
    folder: rejects.folder,
    manifest: await readManifest(rejects.folder),
    restoreKeys: rejects.restoreKeys,
    reading,
    keyColumns: keyColumnsOf(plan, mapping),
    tempFolder,
  });
  try {
    for (const text of correctionText(findings, showValues)) notice(text);
    refuseUnexplained(findings, rejects);
  } catch (error) {
    await close();
    throw error;
  }
  return { reading: { encodingOf, ...delimiter, amend: restore }, close };
}

/** Detects the encoding of each file unless the user specified one, because spreadsheets save UTF-8 as windows-1252. */
async function encodingsOf({
  plan,
  rejects,
  encoding = "windows-1252",
  dependencies,
}: RejectsContext): Promise<ReadonlyMap<string, string | undefined>> {
  const encodings = new Map<string, string | undefined>();
  for (const { files, sheet } of withDescendants<SourceSpec>(plan)) {
    for (const { path: file } of await findFiles(files, { defaultSheet: sheet, notify: () => undefined })) {
      const found = rejects.encoding ?? (await savedEncoding(file, encoding));
      if (found !== undefined && found !== rejects.encoding)
        dependencies.notice(`${file}: no longer UTF-8, read as ${found}`);
      encodings.set(file, found);
    }
  }
  return encodings;
}

/** The columns or members that join the rows of a source. The root source includes the one of the business key. */
function keyColumnsOf(plan: SourceSpec, { locate, keyAttr }: Mapping): KeyColumns {
  const ons = new Map(
    withDescendants<SourceSpec>(plan).flatMap(({ children }) => children.map(({ name, on }) => [name, on])),
  );
  return (row, { name, key, children }) => {
    const place = name === plan.name && keyAttr !== undefined ? locate(row, keyAttr) : undefined;
    const own = isCsvRow(row) ? place?.column : place?.pointer?.slice(row.pointer.length).split("/")[1];
    return [
      ...new Set(
        [key, ons.get(name), own, ...children.map(({ parentKey }) => parentKey)].filter((each) => each !== undefined),
      ),
    ];
  };
}
