import type { JSX } from "preact";
import { formatCount } from "../../../../text/count.ts";
import type { OverviewData } from "../../../overview/overview-data.ts";
import { ErrorNotice } from "../../parts/notice.tsx";
import { Table } from "../../parts/table.tsx";
import { useData } from "../../use-data.ts";

export function OverviewPage(): JSX.Element {
  const { data, error, reload } = useData<OverviewData>("/api/overview");
  return (
    <>
      <h1>Overview</h1>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {data !== undefined && (
        <Table
          caption="Runs"
          rows={data.runs}
          keyOf={({ id }) => id}
          columns={[
            { title: "Run", cell: ({ id }) => id },
            { title: "State", cell: ({ state }) => state },
            { title: "Records", kind: "number", cell: ({ records }) => formatCount(records) },
          ]}
        />
      )}
    </>
  );
}
