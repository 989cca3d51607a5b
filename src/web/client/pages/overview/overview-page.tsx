import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { formatCount } from "../../../../text/count.ts";
import type { LiveRun, OverviewData, RunData } from "../../../overview/overview-data.ts";
import { useLive } from "../../live.ts";
import { Facts } from "../../parts/facts.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { countsText } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { momentText } from "../../parts/time.ts";
import { type Loaded, useData } from "../../use-data.ts";
import { DestinationSection } from "./destination-section.tsx";
import { LiveSection } from "./live-section.tsx";
import { PushSection } from "./push-section.tsx";

/** The numbers cover all records in the ledger, so loading them for every event would take too long. */
const RELOAD_MS = 15_000;
/** Short, so that the page recovers soon after the user repairs a file. */
const RETRY_MS = 2_000;

/** Shows the state of the migration, the push in progress and all runs. */
export function OverviewPage(): JSX.Element {
  const { data, error, reload, live } = useOverview();
  return (
    <>
      <h1>{data?.headline ?? "Overview"}</h1>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <p class="soft">Reading the ledger…</p>}
      {data?.destinations.length === 0 && (
        <p>Nothing has been pushed yet. The Problems page shows the errors in the files, before anything is sent.</p>
      )}
      <PushSection />
      {live !== undefined && <LiveSection live={live} />}
      {data !== undefined && <Numbers data={data} />}
    </>
  );
}

/**
 * Loads the numbers. Loads them again when a run starts or ends, and periodically while a run sends records or after an
 * error.
 */
function useOverview(): Loaded<OverviewData> & { readonly live: LiveRun | undefined } {
  const loaded = useData<OverviewData>("/api/overview");
  const { reload } = loaded;
  const { event, error } = useLive();
  const version = event?.version;
  const isReadable = error === undefined;
  const isSending = event?.live?.progress?.sending !== undefined;
  useEffect(() => {
    if (version !== undefined && isReadable) reload();
  }, [version, isReadable, reload]);
  // Loading can fail even if the events report no error.
  const period = loaded.error !== undefined ? RETRY_MS : isSending ? RELOAD_MS : undefined;
  useEffect(() => {
    if (period === undefined) return undefined;
    const timer = setInterval(reload, period);
    return () => clearInterval(timer);
  }, [period, reload]);
  return { ...loaded, live: event?.live };
}

function Numbers({ data: { destinations, inventory, runs } }: { readonly data: OverviewData }): JSX.Element {
  return (
    <>
      {inventory.map(({ target, expected, seen, missing }) => (
        <section key={target} class="card" aria-label="Inventory">
          <h2>{target === "" ? "Inventory" : `Inventory of ${target}`}</h2>
          <Facts
            facts={[
              ["Expected", formatCount(expected)],
              ["Seen", formatCount(seen)],
              ["Missing", formatCount(missing)],
            ]}
          />
        </section>
      ))}
      {destinations.map((each) => (
        <DestinationSection key={`${each.target} ${each.supplier} ${each.operation}`} destination={each} />
      ))}
      <section aria-label="Runs">
        <h2>Runs</h2>
        {runs.length === 0 ? <p>There are no runs yet.</p> : <Runs runs={runs} />}
      </section>
    </>
  );
}

function Runs({ runs }: { readonly runs: readonly RunData[] }): JSX.Element {
  return (
    <Table
      caption="Runs, latest first"
      rows={runs}
      keyOf={({ id }) => id}
      columns={[
        { title: "Run", kind: "short", cell: ({ id }) => id },
        { title: "State", cell: ({ state, dryRun }) => (dryRun ? `dry run, ${state}` : state) },
        { title: "Started", kind: "short", cell: ({ startedAt }) => momentText(startedAt) },
        { title: "By", cell: ({ by }) => by },
        { title: "To", cell: ({ target, supplier }) => (supplier === "" ? target : `${target}, ${supplier}`) },
        { title: "Records", kind: "number", cell: ({ records }) => formatCount(records) },
        { title: "Outcome", kind: "long", cell: ({ counts }) => countsText(counts) },
      ]}
    />
  );
}
