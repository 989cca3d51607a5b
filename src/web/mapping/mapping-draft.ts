import type { Dependencies } from "../../job/dependencies.ts";
import { type MappingDocument, readMapping } from "../../map/document/mapping-document.ts";
import { Failure } from "../../model/failure.ts";
import type { MappingData } from "./mapping-data.ts";
import type { MappingJob } from "./mapping-file.ts";

/** A text of a mapping that is not saved, and the settings for it. */
export interface Draft {
  readonly job: MappingJob;
  readonly text: string;
  /** Whether cells may be shown. */
  readonly showValues: boolean;
}

/** Messages about a trial belong to the page, not to the terminal. */
export function withoutMessages(dependencies: Dependencies): Dependencies {
  return { ...dependencies, notice: () => undefined, onProgress: () => undefined };
}

type ReadDocument =
  | { readonly document: MappingDocument }
  | { readonly document: undefined; readonly failure: Failure };

/** The document of a text, or why it cannot be read. */
export function readOrFailure(file: string, text: string): ReadDocument {
  try {
    return { document: readMapping({ file, text }) };
  } catch (error) {
    if (error instanceof Failure) return { document: undefined, failure: error };
    throw error;
  }
}

/** What the page shows of a text that cannot be read. */
export function emptyView(text: string): MappingData {
  return { text, sources: [], fields: [], otherParts: [], zone: "UTC" };
}
