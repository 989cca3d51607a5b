import type { JSX } from "preact";

/** Shows the text of a message. Parts in backquotes are shown as code. */
export function Words({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
