import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { FilesData } from "../../../mapping/mapping-data.ts";
import { getJson } from "../../api.ts";
import { detailsOf } from "../../use-data.ts";

interface Files {
  readonly files: FilesData;
  readonly error: ErrorDetails | undefined;
}

/** Loads the files of the project when `isWanted` becomes true, and again when `key` changes. */
export function useFiles(isWanted: boolean, key?: unknown): Files {
  const [files, setFiles] = useState<FilesData>({ sources: [], tables: [], modules: [] });
  const [error, setError] = useState<ErrorDetails>();
  useEffect(() => {
    if (!isWanted) return;
    getJson<FilesData>("/api/mapping/files").then(setFiles, (thrown: unknown) => setError(detailsOf(thrown)));
  }, [isWanted, key]);
  return { files, error };
}
