import type { ComponentChildren, JSX } from "preact";

/** `main`: the action that the page is about; at most one on a page or in a dialog. */
export function Button({
  kind = "plain",
  isDisabled = false,
  onClick,
  children,
}: {
  readonly kind?: "plain" | "main" | "danger";
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <button type="button" class={kind === "plain" ? undefined : kind} disabled={isDisabled} onClick={onClick}>
      {children}
    </button>
  );
}
