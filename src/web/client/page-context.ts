import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ProjectData } from "../project-data.ts";

/** Data and functions for every page. */
export interface PageContext {
  readonly project: ProjectData;
  /** Reads the project again, after its configuration has changed. */
  readonly reloadProject: () => void;
  /** Whether cell values are shown. Pages show the shape of a value, or dots, otherwise. */
  readonly areValuesShown: boolean;
  /** Opens another page of the application, such as `/fix?cause=...`. */
  readonly goTo: (path: string) => void;
}

export const Pages = createContext<PageContext | undefined>(undefined);

export function usePage(): PageContext {
  const context = useContext(Pages);
  if (context === undefined) throw new Error("a page is rendered outside the application");
  return context;
}
