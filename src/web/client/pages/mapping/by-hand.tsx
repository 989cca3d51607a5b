import type { JSX } from "preact";

/** Shows a part of the mapping that this page cannot edit. */
export function ByHand({ text, line }: { readonly text: string; readonly line: number | undefined }): JSX.Element {
  return (
    <p>
      Edited by hand: <code>{text}</code>
      <br />
      <span class="soft">
        This page can only show this part. Change it in an editor
        {line !== undefined && `, on line ${line} of the mapping`}.
      </span>
    </p>
  );
}
