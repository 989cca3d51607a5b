import type { JSX } from "preact";
import { recordStateText } from "../../../../model/migration-report.ts";
import { counted, formatCount } from "../../../../text/count.ts";
import type { Basis, CauseData, CauseGroup, CauseRows, RowData } from "../../../problems/problems-data.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Words } from "../../parts/words.tsx";
import { useData } from "../../use-data.ts";
import { type CauseFilter, isInFilter } from "./problem-filters.tsx";

interface DetailOptions {
  readonly cause: CauseData;
  readonly basis: Basis;
  readonly filter: CauseFilter;
}

/** Shows the details of a cause: the problem, how to fix it, the owners, and the affected rows. */
export function CauseDetails({ cause, basis, filter }: DetailOptions): JSX.Element {
  const { goTo } = usePage();
  const { code, attr, by, title, words, advice, shapes, groups } = cause;
  return (
    <section class="card" aria-labelledby="cause">
      <h2 id="cause">{title}</h2>
      <p class="tags">
        {attr !== undefined && <code>{attr}</code>} <span class="tag">{code}</span>
        {by !== "state" && (
          <span class="tag">{by === "platform" ? "found by the platform" : "found before sending"}</span>
        )}
      </p>
      {words !== "" && words !== title && <p>{by === "platform" ? `The platform: ${words}` : words}</p>}
      <p class="advice">
        <strong>What to do</strong> <Words text={advice} />
      </p>
      {shapes.length > 0 && (
        <p class="shapes">
          The values look like{" "}
          {shapes.map(({ shape, count }) => (
            <span key={shape}>
              <code>{shape}</code> <span class="soft">{formatCount(count)} ×</span>{" "}
            </span>
          ))}
        </p>
      )}
      {groups.some(({ owner }) => owner !== "") || groups.length > 1 ? <Groups groups={groups} /> : undefined}
      {attr !== undefined && (
        <p class="actions">
          <Button onClick={() => goTo(`/fix?cause=${encodeURIComponent(`${code} ${attr}`)}`)}>
            Correct these cells
          </Button>
        </p>
      )}
      <Rows cause={cause} basis={basis} filter={filter} />
    </section>
  );
}

function Groups({ groups }: { readonly groups: readonly CauseGroup[] }): JSX.Element {
  return (
    <>
      <h3>By owner and file</h3>
      <Table
        caption="Records with this cause, by owner and file"
        rows={groups}
        keyOf={({ owner, file }) => `${owner} ${file}`}
        columns={[
          { title: "Owner", cell: ({ owner }) => (owner === "" ? "no owner" : owner) },
          { title: "File", cell: ({ file }) => file },
          { title: "Records", kind: "number", cell: ({ records }) => formatCount(records) },
          { title: "Overdue", kind: "number", cell: ({ overdue }) => formatCount(overdue) },
        ]}
      />
    </>
  );
}

/** Maximum number of rows shown. A table of all rows would be slow. */
const SHOWN_ROWS = 200;

function Rows({ cause: { id, records }, basis, filter }: DetailOptions): JSX.Element {
  const address = `/api/problems/rows?basis=${basis}&cause=${encodeURIComponent(id)}`;
  const { data, error, reload } = useData<CauseRows>(address);
  const rows = (data?.rows ?? []).filter((row) => isInFilter(row, filter)).slice(0, SHOWN_ROWS);
  const hasOwners = rows.some(({ owner }) => owner !== "");
  const columns: readonly Column<RowData>[] = [
    { title: "Key", cell: ({ key }) => key ?? "no key" },
    { title: "Place", cell: ({ place }) => place },
    { title: "Column", cell: ({ column }) => column },
    { title: "Value looks like", cell: ({ shape }) => shape !== undefined && <code>{shape}</code> },
    { title: "State", cell: ({ state }) => recordStateText(state) },
    ...(hasOwners ? [{ title: "Owner", cell: ({ owner }: RowData) => owner }] : []),
    ...(basis === "migration" ? [{ title: "Open since", cell: sinceText }] : []),
  ];
  return (
    <>
      <h3>Rows</h3>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      <p class="soft" role="status">
        {data === undefined && error === undefined && "Loading…"}
        {data !== undefined && (rows.length < records ? `The first ${formatCount(rows.length)} of ` : "")}
        {data !== undefined && counted(records, "record")}
      </p>
      {rows.length > 0 && (
        <Table
          caption="Rows with this cause"
          rows={rows}
          keyOf={({ key, place, column }) => `${key} ${place} ${column}`}
          columns={columns}
        />
      )}
    </>
  );
}

function sinceText({ since = "", isOverdue }: RowData): JSX.Element {
  return (
    <>
      {since.slice(0, 10)} {isOverdue && <span class="tag bad">overdue</span>}
    </>
  );
}
