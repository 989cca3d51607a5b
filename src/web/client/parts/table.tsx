import type { ComponentChildren, JSX } from "preact";

export interface Column<Row> {
  readonly title: string;
  /** `short` text never wraps. `long` text wraps, but not after each word. */
  readonly kind?: "number" | "short" | "long";
  readonly cell: (row: Row) => ComponentChildren;
}

/** Shows a table that scrolls separately from the page. The first column names the row. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}): JSX.Element {
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="quiet">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, kind, cell }, at) =>
                at === 0 ? (
                  <th key={title} scope="row" class={kind}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={kind}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
