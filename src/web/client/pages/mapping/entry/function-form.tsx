import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MappingData, MappingEdit } from "../../../../mapping/mapping-data.ts";
import { ErrorNotice } from "../../../parts/notice.tsx";
import { CodeList } from "../../../parts/words.tsx";
import { Select } from "../../../parts/controls.tsx";
import { textOf } from "../json-text.ts";
import type { LeafForm } from "./leaf-form.ts";
import { useFiles } from "../use-files.ts";

/** Edits the function that computes the value. The choices are the exports of the module that the mapping names. */
export function FunctionChoice({ view: { functions }, leaf, change }: LeafForm): JSX.Element {
  const current = textOf(leaf["call"]);
  const { module, names = [] } = functions ?? {};
  const isMissing = !names.includes(current);
  return (
    <>
      <Select
        label="Function"
        value={current}
        choices={[...(isMissing ? [[current, `${current} (does not exist)`] as const] : []), ...names]}
        onChange={(name) => change({ call: name })}
      />
      {isMissing && <p class="problem">{missingText(module, current)}</p>}
      <p class="soft">
        The function receives the text of the cell, after replacements, and the row. Without a column, the text is
        empty. The result is converted to the type of the field.
      </p>
    </>
  );
}

function missingText(module: string | undefined, name: string): string {
  return module === undefined
    ? "The mapping does not name a module with functions. Choose a module under “Functions”, below the fields of the contract."
    : `${module} exports no function “${name}”, or cannot be loaded. Choose another function, or correct the module.`;
}

interface FunctionsFormOptions {
  readonly view: MappingData;
  readonly onEdit: (edit: MappingEdit, done: string) => void;
}

/** Edits the module that exports the functions of the mapping. */
export function FunctionsForm({ view: { functions }, onEdit }: FunctionsFormOptions): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { files, error } = useFiles(isOpen);
  const { module = "", names = [] } = functions ?? {};
  const found = files.modules.some((each) => isSameFile(each, module));
  const listed = module === "" || found ? files.modules : [module, ...files.modules];
  return (
    <details class="other-parts functions" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Functions: {module === "" ? "no module" : module}</summary>
      <Select
        label="Module with functions"
        value={listed.find((each) => isSameFile(each, module)) ?? ""}
        choices={[["", "none"], ...listed]}
        onChange={(name) =>
          onEdit(
            { kind: "functions", module: name === "" ? null : name },
            name === "" ? "The mapping no longer has functions." : `The mapping can now call the functions in ${name}.`,
          )
        }
      />
      {error !== undefined && <ErrorNotice error={error} />}
      {module !== "" && (
        <p>
          {names.length === 0 ? "The module exports no function, or cannot be loaded." : "Functions: "}
          <CodeList names={names} />
        </p>
      )}
      <p class="soft">A module runs with your permissions. Choose only modules that you trust.</p>
    </details>
  );
}

function isSameFile(one: string, other: string): boolean {
  return one.replace(/^\.\//, "") === other.replace(/^\.\//, "");
}
