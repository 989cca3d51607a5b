import type { ErrorDetails } from "../../../../model/failure.ts";
import type { FilesData } from "../../../mapping/mapping-data.ts";
import { useData } from "../../use-data.ts";

interface Files {
  readonly files: FilesData;
  readonly error: ErrorDetails | undefined;
}

const NO_FILES: FilesData = { sources: [], tables: [], modules: [] };

/** Loads the files of the project when `isWanted` becomes true, and again when `key` changes. */
export function useFiles(isWanted: boolean, key?: unknown): Files {
  const { data: files = NO_FILES, error } = useData<FilesData>(isWanted ? "/api/mapping/files" : undefined, key);
  return { files, error };
}
