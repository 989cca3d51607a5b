import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cells, problemsOf, read, source } from "../read/reading.ts";
import { corpus, describeCorpus } from "./corpora.ts";

describeCorpus("csv-spectrum", () => {
  it("gives the expected JSON for all 11 files", async () => {
    const names = readdirSync(corpus("csv-spectrum/csvs"));
    expect(names).toHaveLength(11);
    for (const name of names) {
      const written = corpus("csv-spectrum/json", name.replace(".csv", ".json"));
      const expected: unknown = JSON.parse(readFileSync(written, "utf8"));
      const { records } = await read(source(corpus("csv-spectrum/csvs", name)));
      const rows = records.map(({ row }) =>
        Object.fromEntries(
          "columns" in row.table ? row.table.columns.map((column, index) => [column, cells(row)[index]]) : [],
        ),
      );
      expect({ name, rows, problems: problemsOf(records) }).toEqual({ name, rows: expected, problems: [] });
    }
  });
});
