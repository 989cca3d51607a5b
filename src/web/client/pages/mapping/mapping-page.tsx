import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { MappingState } from "../../../mapping/mapping-data.ts";
import { ErrorNotice } from "../../parts/notice.tsx";
import { detailsOf } from "../../use-data.ts";
import { type Draft, keepDraft, keptDraft, newDraft } from "./draft.ts";
import { readState } from "./draft-requests.ts";
import { StartForm } from "./start-form.tsx";
import { Workbench } from "./workbench.tsx";

/** Edits the mapping of the project, or creates one from extracts and a contract. */
export function MappingPage(): JSX.Element {
  const [draft, setDraft] = useState<Draft | undefined>(keptDraft);
  const [state, setState] = useState<MappingState>();
  const [error, setError] = useState<ErrorDetails>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (draft !== undefined) return;
    const read = async (): Promise<void> => {
      const found = await readState();
      setError(undefined);
      setState(found);
      if (found.saved !== undefined) setDraft(newDraft(found.saved.text, { saved: found.saved }));
    };
    read().catch((thrown: unknown) => setError(detailsOf(thrown)));
  }, [draft, turn]);
  const begin = (next: Draft): void => {
    keepDraft(next);
    setDraft(next);
  };
  const startAgain = (): void => {
    keepDraft(undefined);
    setDraft(undefined);
  };
  return (
    <div class="mapping">
      <h1>Mapping</h1>
      {error !== undefined && <ErrorNotice error={error} onRetry={() => setTurn(turn + 1)} />}
      {draft !== undefined && <Workbench initial={draft} onStartAgain={startAgain} />}
      {draft === undefined && state?.start !== undefined && (
        <StartForm file={state.file} start={state.start} onBegin={begin} />
      )}
      {draft === undefined && state === undefined && error === undefined && <p class="soft">Reading the mapping…</p>}
    </div>
  );
}
