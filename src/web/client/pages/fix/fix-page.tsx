import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../../model/failure.ts";
import { formatCount } from "../../../../text/count.ts";
import type { FixState } from "../../../fix/fix-types.ts";
import { getJson, postJson } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { detailsOf } from "../../use-data.ts";
import { MissingCause, NotSaved } from "./fix-notices.tsx";
import { Workbench } from "./workbench.tsx";

const POLL_MS = 400;

/** Shows a grid where the user corrects the rows that need work. */
export function FixPage(): JSX.Element {
  const { state, error, check, reload } = useFixState();
  return (
    <>
      <h1>Fix</h1>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      <NotSaved />
      {state?.status === "checking" && (
        <p role="status" class="checking">
          {state.records === 0
            ? "Checking all records…"
            : `Checking all records: ${formatCount(state.records)} checked, ${formatCount(state.invalid)} invalid…`}
        </p>
      )}
      {state?.status === "failed" && (
        <>
          <ErrorNotice error={state.error} />
          <Button onClick={check}>Check again</Button>
        </>
      )}
      {state?.status === "ready" && <MissingCause state={state} />}
      {state?.status === "ready" && <Workbench key={state.session} state={state} onCheck={check} onEnd={reload} />}
    </>
  );
}

interface FixProject {
  readonly state: FixState | undefined;
  readonly error: ErrorDetails | undefined;
  readonly check: () => void;
  readonly reload: () => void;
}

/** Polls the state until the check has ended. */
function useFixState(): FixProject {
  const [state, setState] = useState<FixState>();
  const [error, setError] = useState<ErrorDetails>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    let timer: number | undefined;
    const ask = async (): Promise<void> => {
      try {
        const next = await getJson<FixState>("/api/fix", ending.signal);
        setState(next);
        setError(undefined);
        if (next.status === "checking") timer = setTimeout(() => void ask(), POLL_MS);
      } catch (failed) {
        if (!ending.signal.aborted) setError(detailsOf(failed));
      }
    };
    void ask();
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [turn]);
  const reload = (): void => setTurn((before) => before + 1);
  const check = (): void => {
    setState({ status: "checking", records: 0, invalid: 0 });
    postJson("/api/fix/check", {}).then(reload, (failed: unknown) => setError(detailsOf(failed)));
  };
  return { state, error, check, reload };
}
