import type { JSX } from "preact";
import type { FieldData, MappingData, SourceColumn } from "../../../mapping/mapping-data.ts";
import { Button } from "../../parts/button.tsx";
import { CodeList } from "../../parts/words.tsx";
import { ByHand } from "./by-hand.tsx";
import { EntryForm } from "./entry/entry-form.tsx";
import { findField, isSameColumn, scoreText } from "./fields.ts";
import type { Mapping } from "./use-mapping.ts";
import { ListForm } from "./entry/list-form.tsx";

interface FieldPanelOptions {
  readonly field: FieldData;
  readonly view: MappingData;
  readonly onConnect: (field: FieldData, column: SourceColumn) => void;
  readonly onDisconnect: (field: FieldData) => void;
  readonly onEdit: Mapping["edit"];
}

/** Shows the description of a field in the contract, and edits the entry that fills the field. */
export function FieldPanel(options: FieldPanelOptions): JSX.Element {
  const { field } = options;
  return (
    <>
      <h2 id="field-title">
        <code>{field.attr}</code>
      </h2>
      <Facts field={field} />
      {field.kind === "list" || field.kind === "part" ? <ListForm {...options} /> : <Filled {...options} />}
    </>
  );
}

const MAX_CHOICES = 30;

function Facts({
  field: { type, required, rules, description, choices, row },
}: {
  readonly field: FieldData;
}): JSX.Element {
  const others = rules.filter((rule) => !rule.startsWith("one of "));
  return (
    <>
      <p>
        {required ? "Required" : "Optional"}
        {type !== "" && `, ${type}`}
        {others.length > 0 && `: ${others.join("; ")}`}
        {row !== undefined && <span class="soft">. Filled from a row of {row}</span>}.
      </p>
      {description !== undefined && <p class="soft">{description}</p>}
      {choices !== undefined && (
        <p>
          Choices: <CodeList names={choices.slice(0, MAX_CHOICES)} />
          {choices.length > MAX_CHOICES && ` and ${choices.length - MAX_CHOICES} more`}
        </p>
      )}
    </>
  );
}

function Filled({ field, view, onConnect, onDisconnect, onEdit }: FieldPanelOptions): JSX.Element {
  const { entry, suggestions, kind } = field;
  if (kind === "object") return <></>;
  if (kind === "hand" || (entry !== undefined && entry.leaf === undefined))
    return <ByHand text={entry?.text ?? ""} line={entry?.line} />;
  const others = suggestions.filter((each) => !(entry?.columns ?? []).some((own) => isSameColumn(own, each)));
  return (
    <>
      {others.length > 0 && (
        <div class="actions suggestions">
          <span class="soft">{entry === undefined ? "Columns that fit:" : "Other columns that fit:"}</span>
          {others.map((each) => (
            <Button key={`${each.source} ${each.column}`} onClick={() => onConnect(field, each)}>
              {each.column} <span class="soft">of {each.source}</span> {scoreText(each.score)}
            </Button>
          ))}
        </div>
      )}
      <EntryForm
        field={field}
        view={view}
        onSet={(change) =>
          onEdit((current) => {
            const leaf = change(findField(current, field)?.entry?.leaf ?? {});
            return { kind: "set", path: field.path, leaf };
          }, `${field.attr} was changed.`)
        }
      />
      {entry !== undefined && <Button onClick={() => onDisconnect(field)}>Disconnect</Button>}
    </>
  );
}
