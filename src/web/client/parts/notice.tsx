import type { ComponentChildren, JSX } from "preact";
import type { ErrorDetails } from "../../error-data.ts";
import { Words } from "./words.tsx";

/** A message in the page. Screen readers announce errors immediately. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: "error" | "info" | "good";
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** Shows what happened, where, and how to fix it. */
export function ErrorNotice({
  error,
  onRetry,
}: {
  readonly error: ErrorDetails;
  readonly onRetry?: (() => void) | undefined;
}): JSX.Element {
  const { message, hint, place } = error;
  return (
    <Notice kind="error">
      <p class="notice-title">
        <Words text={message} />
      </p>
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

/** A quoted line of a file, or the mark below it. Its spaces are kept. */
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
