import { useEffect, useRef } from "preact/hooks";

/** Makes the browser ask before it closes the tab, if something is not saved. */
export function useLeaveWarning(isUnsaved: () => boolean): void {
  const latest = useRef(isUnsaved);
  latest.current = isUnsaved;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (latest.current()) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
}
