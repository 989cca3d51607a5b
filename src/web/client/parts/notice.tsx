import type { ComponentChildren, JSX } from "preact";
import type { ErrorDetails } from "../../../model/failure.ts";
import { Words } from "./words.tsx";

/** Shows a message in the page. Screen readers announce errors immediately. */
export function Notice({
  kind,
  title,
  children,
}: {
  readonly kind: "error" | "info" | "good";
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      <p class="notice-title">{title}</p>
      {children}
    </div>
  );
}

export interface ErrorNoticeOptions {
  readonly error: ErrorDetails;
  readonly onRetry?: (() => void) | undefined;
}

export function ErrorNotice({ error, onRetry }: ErrorNoticeOptions): JSX.Element {
  const { message, hint, place } = error;
  return (
    <Notice kind="error" title={<Words text={message} />}>
      {place !== undefined && (
        <p>
          at <code>{place}</code>
        </p>
      )}
      {hint !== undefined && <Hint text={hint} />}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </Notice>
  );
}

/** Matches a quoted line of a file, or the mark below the line. Spaces in both are kept. */
const EXCERPT = /^\s*\d* \| /;

function Hint({ text }: { readonly text: string }): JSX.Element {
  const lines = text.split("\n");
  const excerpt = lines.filter((line) => EXCERPT.test(line));
  const others = lines.filter((line) => !EXCERPT.test(line));
  return (
    <>
      {excerpt.length > 0 && <pre class="excerpt">{excerpt.join("\n")}</pre>}
      {others.map((line) => (
        <p key={line}>
          <Words text={line} />
        </p>
      ))}
    </>
  );
}
