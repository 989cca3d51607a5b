import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ProjectData } from "../project-data.ts";

export interface PageContext {
  readonly project: ProjectData;
  /** Reads the project again after its configuration has changed. */
  readonly reloadProject: () => void;
  /** Whether cell values are shown. If not, pages show shapes instead of values. */
  readonly areValuesShown: boolean;
  /** Opens another page of the application, such as `/fix?cause=...`. */
  readonly goTo: (path: string) => void;
}

export const Pages = createContext<PageContext | undefined>(undefined);

export function usePage(): PageContext {
  const context = useContext(Pages);
  if (context === undefined) throw new Error("a page was rendered outside the application");
  return context;
}
