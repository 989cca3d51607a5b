import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { GuessData, OperationData, SetupData, StartData } from "../../../mapping/mapping-data.ts";
import { postJson } from "../../api.ts";
import { Select } from "../../parts/controls.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { detailsOf } from "../../use-data.ts";
import { type Draft, newDraft } from "./draft.ts";

interface StartOptions {
  /** The path of the mapping to create. */
  readonly file: string;
  readonly start: StartData;
  readonly onBegin: (draft: Draft) => void;
}

/** Shows a form for selecting the files from which the first mapping is guessed. */
export function StartForm({ file, start, onBegin }: StartOptions): JSX.Element {
  const [setup, setSetup] = useState(start.chosen);
  const [error, setError] = useState<ErrorDetails>();
  const [isGuessing, setGuessing] = useState(false);
  const [contract = "", ...overlays] = setup.contract;
  const change = (changed: Partial<SetupData>): void => setSetup((before) => ({ ...before, ...changed }));
  const operations = useOperations(setup, setError, (operation) => change({ operation }));
  const guess = async (): Promise<void> => {
    setGuessing(true);
    setError(undefined);
    try {
      const guessed = await postJson<GuessData>("/api/mapping/guess", setup);
      onBegin(newDraft(guessed.text, { setup: guessed.setup }));
    } catch (thrown) {
      setError(detailsOf(thrown));
      setGuessing(false);
    }
  };
  return (
    <form
      class="card start"
      onSubmit={(event) => {
        event.preventDefault();
        void guess();
      }}
    >
      <h2>Begin a mapping</h2>
      <p>
        There is no <code>{file}</code> yet. The first mapping is guessed from the extracts and the contract. You can
        change everything before you save it.
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <FileBoxes
        legend="Extracts"
        files={start.sources}
        chosen={setup.sources}
        onChange={(sources) => change({ sources })}
      />
      <Select
        label="Contract (OpenAPI document)"
        value={contract}
        choices={[...(contract === "" ? [["", "Choose a file"] as const] : []), ...start.contracts]}
        isRequired
        onChange={(name) => change({ contract: [name, ...overlays] })}
      />
      {start.overlays.length > 0 && (
        <FileBoxes
          legend="Contract overlays"
          files={start.overlays}
          chosen={overlays}
          onChange={(chosen) => change({ contract: [contract, ...chosen] })}
        />
      )}
      <Select
        label="Operation that receives the records"
        value={setup.operation ?? ""}
        choices={operations.map(({ id, address, summary }) => [id, `${address} (${summary ?? id})`])}
        isRequired
        onChange={(operation) => change({ operation })}
      />
      <label class="field">
        Import supplier code
        <input
          value={setup.supplier ?? ""}
          autocomplete="off"
          onInput={({ currentTarget: { value } }) => change({ supplier: value === "" ? undefined : value })}
        />
      </label>
      <div class="actions">
        <button type="submit" class="main" disabled={isGuessing || setup.sources.length === 0 || contract === ""}>
          Guess a mapping
        </button>
        <span role="status">{isGuessing ? "Reading all rows of the extracts…" : ""}</span>
      </div>
    </form>
  );
}

interface FileBoxesOptions {
  readonly legend: string;
  readonly files: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function FileBoxes({ legend, files, chosen, onChange }: FileBoxesOptions): JSX.Element {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {files.length === 0 && (
        <p>
          There are no files yet. Put the extracts into this folder, or name them:{" "}
          <code>migrate web extracts/*.csv</code>.
        </p>
      )}
      {files.map((name) => (
        <label key={name} class="box">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(files.filter((each) => (each === name ? checked : chosen.includes(each))))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/**
 * Loads the operations of the selected contract. If the selected operation is not among them, selects the first
 * operation.
 */
function useOperations(
  { contract, operation }: SetupData,
  onError: (error: ErrorDetails | undefined) => void,
  onChoose: (operation: string) => void,
): readonly OperationData[] {
  const [operations, setOperations] = useState<readonly OperationData[]>([]);
  const key = contract.join("\n");
  useEffect(() => {
    if (key === "") return;
    const read = async (): Promise<void> => {
      const found = await postJson<readonly OperationData[]>("/api/mapping/operations", { contract, sources: [] });
      onError(undefined);
      setOperations(found);
      const chosen = found.find(({ id, address }) => operation === id || operation === address) ?? found[0];
      if (chosen !== undefined) onChoose(chosen.id);
    };
    read().catch((thrown: unknown) => onError(detailsOf(thrown)));
  }, [key]);
  return operations;
}
