import type { ComponentChildren, JSX } from "preact";

function Labelled({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <label class="field">
      {label}
      {hint !== undefined && <span class="hint"> ({hint})</span>}
      {children}
    </label>
  );
}

interface InputOptions {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Shows a text input that reports its value when the user leaves the input or presses Enter. */
export function TextInput({ label, hint, value, onChange }: InputOptions): JSX.Element {
  return (
    <Labelled label={label} hint={hint}>
      <input
        key={value}
        defaultValue={value}
        autocomplete="off"
        spellcheck={false}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Labelled>
  );
}

interface SelectOptions extends InputOptions {
  /** The values with their texts. A value without a text is its own text. */
  readonly choices: readonly (string | readonly [value: string, text: string])[];
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
}

export function Select({ label, value, choices, isRequired, isDisabled, onChange }: SelectOptions): JSX.Element {
  return (
    <Labelled label={label}>
      <select
        value={value}
        required={isRequired}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {choices.map((choice) => {
          const [each, text] = typeof choice === "string" ? [choice, choice] : choice;
          return (
            <option key={each} value={each}>
              {text}
            </option>
          );
        })}
      </select>
    </Labelled>
  );
}
