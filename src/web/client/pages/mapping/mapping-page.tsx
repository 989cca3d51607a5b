import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { MappingState } from "../../../mapping/mapping-data.ts";
import { ErrorNotice } from "../../parts/notice.tsx";
import { useData } from "../../use-data.ts";
import { type Draft, keepDraft, keptDraft, newDraft } from "./draft.ts";
import { StartForm } from "./start-form.tsx";
import { Workbench } from "./workbench.tsx";

/** Edits the mapping of the project, or creates one from extracts and a contract. */
export function MappingPage(): JSX.Element {
  const [draft, setDraft] = useState<Draft | undefined>(keptDraft);
  const { data: state, error, reload } = useData<MappingState>(draft === undefined ? "/api/mapping" : undefined);
  useEffect(() => {
    if (state?.saved !== undefined) setDraft(newDraft(state.saved.text, { saved: state.saved }));
  }, [state]);
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
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {draft !== undefined && <Workbench initial={draft} onStartAgain={startAgain} />}
      {draft === undefined && state?.start !== undefined && (
        <StartForm file={state.file} start={state.start} onBegin={begin} />
      )}
      {draft === undefined && state === undefined && error === undefined && <p class="soft">Reading the mapping…</p>}
    </div>
  );
}
