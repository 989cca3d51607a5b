import type { JSX } from "preact";

/** Shows the text of a message. Parts in backquotes are shown as code. */
export function Words({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

export function CodeList({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <code>{name}</code>
        </span>
      ))}
    </>
  );
}
