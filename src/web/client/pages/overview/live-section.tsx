import type { JSX } from "preact";
import type { Pace, RunProgress } from "../../../../job/run-progress.ts";
import { counted, duration, formatCount, percent, rateText } from "../../../../text/count.ts";
import type { LiveError, LiveRun } from "../../../overview/overview-data.ts";
import { Facts } from "../../parts/facts.tsx";
import { countsText } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";

/** Shows the active run, even if another process runs it. */
export function LiveSection({ live: { run, progress, errors } }: { readonly live: LiveRun }): JSX.Element {
  const { sending } = progress ?? {};
  const what = run.dryRun ? "Checking the records" : sending === undefined ? "Reading the input" : "Sending";
  return (
    <section class="card live" aria-labelledby="live">
      <h2 id="live">
        {what} <span class="soft">run {run.id}</span>
      </h2>
      {progress === undefined ? <p>This run has not reported its progress.</p> : <Progress progress={progress} />}
      {progress !== undefined && <LiveFacts progress={progress} by={run.by} />}
      {errors.length > 0 && <LastErrors errors={errors} />}
    </section>
  );
}

function Progress({ progress: { input, sending } }: { readonly progress: RunProgress }): JSX.Element {
  const [done, total] = sending?.total === undefined ? [input.bytes, input.ofBytes] : [sending.done, sending.total];
  const text =
    sending?.total === undefined
      ? `${percent(done, total)} of the input read, ${counted(input.records, "record")} checked`
      : `${formatCount(done)} of ${counted(total, "record")} sent (${percent(done, total)})`;
  return (
    <p>
      <progress max={Math.max(total, 1)} value={done} aria-label={text} />
      {text}
    </p>
  );
}

function LiveFacts({ progress, by }: { readonly progress: RunProgress; readonly by: string | undefined }): JSX.Element {
  const { sending, input, elapsedMs } = progress;
  const { leftMs, wait, closedSuppliers, counts } = sending ?? {};
  return (
    <Facts
      facts={[
        ["Invalid", sending === undefined ? formatCount(input.invalid) : undefined],
        ["Rate", sending && `${rateText(sending.perSecond)} per second`],
        ["In flight", sending && formatCount(sending.inFlight)],
        ["Remaining", leftMs === undefined ? undefined : duration(leftMs)],
        ["Time", duration(elapsedMs)],
        ["Limit", sending && limitText(sending.pace)],
        ["Waiting", wait && `for ${duration(wait.forMs)}: ${wait.reason}`],
        ["Closed suppliers", closedSuppliers?.join(", ") || undefined],
        ["So far", (counts && countsText(counts)) || undefined],
        ["By", by],
      ]}
    />
  );
}

/** Formats the current limits, such as `12 requests at a time, 40 per second: HTTP 429`. */
function limitText({ limit, perSecond, reason }: Pace): string | undefined {
  if (limit === undefined) return undefined;
  const rate = perSecond === undefined ? "" : `, ${perSecond} per second`;
  return `${counted(limit, "request")} at a time${rate}${reason === undefined ? "" : `: ${reason}`}`;
}

function LastErrors({ errors }: { readonly errors: readonly LiveError[] }): JSX.Element {
  return (
    <>
      <h3>Latest errors</h3>
      <Table
        caption="Latest errors"
        rows={errors}
        keyOf={({ record }) => String(record)}
        columns={[
          { title: "Key", cell: ({ key, record }) => key ?? `record ${record}` },
          { title: "Place", cell: ({ place }) => place },
          { title: "Error", cell: ({ text }) => text },
        ]}
      />
    </>
  );
}
