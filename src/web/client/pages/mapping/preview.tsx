import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { NON_FIELD_ERRORS } from "../../../../json/attr.ts";
import { counted, formatCount, verbOfShare } from "../../../../text/count.ts";
import type { CheckData, FieldData } from "../../../mapping/mapping-data.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import type { CheckState } from "./use-mapping.ts";

interface PreviewOptions extends FieldLinks {
  readonly check: CheckState;
}

interface FieldLinks {
  readonly fieldAt: (attr: string) => FieldData | undefined;
  readonly onField: (field: FieldData) => void;
}

/** Shows how many of the first records are valid, the most frequent errors, and the first payloads. */
export function Preview({ check: { data, error, isLoading }, fieldAt, onField }: PreviewOptions): JSX.Element {
  return (
    <div aria-busy={isLoading}>
      {error !== undefined && <ErrorNotice error={error} />}
      {data !== undefined && (
        <>
          <Causes causes={data.causes} fieldAt={fieldAt} onField={onField} />
          <Payloads payloads={data.payloads} />
        </>
      )}
    </div>
  );
}

/** Shows text such as `219 of 223 records are valid.` */
export function ValidCount({ check: { data, error, isLoading } }: { readonly check: CheckState }): JSX.Element {
  if (isLoading) return <span class="soft">Checking…</span>;
  if (data === undefined) return <>{error !== undefined && "The records cannot be checked."}</>;
  const { records, valid, more } = data;
  return (
    <>
      <strong class={valid === records ? "good" : undefined}>{formatCount(valid)}</strong>{" "}
      {more ? "of the first" : "of"} {counted(records, "record")} {verbOfShare(valid, records, ["is", "are"])} valid.
    </>
  );
}

function Causes({ causes, fieldAt, onField }: FieldLinks & { readonly causes: CheckData["causes"] }): JSX.Element {
  if (causes.length === 0) return <></>;
  return (
    <>
      <h3>Most frequent errors</h3>
      <ul class="causes">
        {causes.map(({ code, attr, records }) => {
          const field = fieldAt(attr);
          return (
            <li key={`${code} ${attr}`}>
              <span class="number">{formatCount(records)}</span> {code}{" "}
              {field === undefined && attr !== NON_FIELD_ERRORS && attr}
              {field !== undefined && (
                <button type="button" class="link" onClick={() => onField(field)}>
                  {attr}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Payloads({ payloads }: { readonly payloads: CheckData["payloads"] }): JSX.Element {
  const { areValuesShown } = usePage();
  const [at, setAt] = useState(0);
  const shown = payloads[Math.min(at, payloads.length - 1)];
  if (shown === undefined) return <p class="soft">There are no records.</p>;
  const title = `Payload ${shown.record}`;
  return (
    <>
      <div class="actions payload-head">
        <h3>
          {title} <span class="soft">{shown.place}</span>
        </h3>
        <Button isDisabled={at === 0} onClick={() => setAt(at - 1)}>
          Previous
        </Button>
        <Button isDisabled={at >= payloads.length - 1} onClick={() => setAt(at + 1)}>
          Next
        </Button>
      </div>
      {!areValuesShown && <p class="soft">Values are hidden: each is replaced by its shape.</p>}
      {shown.problems.map(({ attr, text }) => (
        <p key={`${attr} ${text}`} class="problem">
          <code>{attr}</code>: {text}
        </p>
      ))}
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre class="payload" tabIndex={0} role="region" aria-label={title}>
        {JSON.stringify(shown.payload, null, 2)}
      </pre>
    </>
  );
}
