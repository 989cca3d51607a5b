import type { JSX } from "preact";

/** A part of the mapping that this page only shows. */
export function ByHand({ text }: { readonly text: string }): JSX.Element {
  return (
    <p>
      Edited by hand: <code>{text}</code>
      <br />
      <span class="soft">This page keeps it as it is. Change it in an editor.</span>
    </p>
  );
}
