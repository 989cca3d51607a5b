import type { Dependencies } from "../../job/dependencies.ts";
import { type MappingDocument, readMapping } from "../../map/document/mapping-document.ts";
import { Failure, failureDetails } from "../../model/failure.ts";
import type { MappingData } from "./mapping-data.ts";
import type { MappingJob } from "./mapping-file.ts";

export interface MappingText {
  readonly job: MappingJob;
  readonly text: string;
}

export interface Draft extends MappingText {
  /** Whether replies may contain values of cells. */
  readonly showValues: boolean;
}

/** Returns dependencies that discard messages, because the terminal must not show messages about an unsaved mapping. */
export function withoutMessages(dependencies: Dependencies): Dependencies {
  return { ...dependencies, notice: () => undefined, onProgress: () => undefined };
}

/** Reads a mapping from its text. Returns the failure if the text is not a valid mapping. */
export function readOrFailure(file: string, text: string): MappingDocument | Failure {
  try {
    return readMapping({ file, text });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

export function unreadableView(text: string, failure: Failure): MappingData {
  return { text, sources: [], fields: [], otherParts: [], zone: "UTC", error: failureDetails(failure) };
}
