import type { ComponentChildren, JSX } from "preact";

/** `main` marks the primary action. A page or a dialog has at most one `main` button. */
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
