import { describe, expect, it } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { MappedRecord } from "../../src/model/record.ts";
import { mapRecords, readRecords } from "../../src/pipeline/plan/check-records.ts";
import { documentFinder, lookUpDocuments } from "../../src/pipeline/plan/look-up-documents.ts";
import type { DocumentStore } from "../../src/store/document-store.ts";
import { all, openThings, problemsOf, thingsFolder } from "../job/sample-job.ts";

const { signal } = new AbortController();

interface LookupEnd {
  readonly records: readonly MappedRecord[];
  readonly asked: readonly string[];
  readonly mostAtOnce: number;
}

/** Looks up the documents of the rows in a store that contains only `documents`. */
async function lookUp(
  rows: readonly string[],
  documents: readonly string[],
  more: { readonly documentRoot?: string; readonly concurrency?: number; readonly ask?: DocumentStore["has"] } = {},
): Promise<LookupEnd> {
  const { documentRoot, concurrency = 4, ask } = more;
  const job = await openThings(thingsFolder(rows), { documentRoot });
  const asked: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const store: DocumentStore = {
    name: "s3://files",
    close: async () => undefined,
    has: async (key) => {
      asked.push(key);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await new Promise((resolve) => void setImmediate(resolve));
      atOnce -= 1;
      return ask === undefined ? documents.includes(key) : ask(key);
    },
  };
  const records = mapRecords(readRecords(job, signal), job);
  const options = { concurrency, onDocument: () => undefined };
  const looked = await all(lookUpDocuments(records, { job, store, find: documentFinder(job) }, options));
  return { records: looked, asked, mostAtOnce };
}

describe("the look-up of documents", () => {
  it("reports missing documents, each at its cell", async () => {
    const { records, asked } = await lookUp(["A,Ann,,a.pdf", "B,Bob,,b.pdf", "C,Cay,,"], ["root/a.pdf"], {
      documentRoot: "/root/",
    });
    expect(asked).toEqual(["root/a.pdf", "root/b.pdf"]);
    expect(records.map(({ problems }) => problems)).toEqual([
      [],
      [
        {
          attr: "file",
          code: "path_does_not_exist_in_file_store",
          under: "s3://files/root",
          severity: "error",
          by: "local",
          shape: "a.aaa",
          place: { file: expect.stringContaining("things.csv"), line: 3, column: "FILE", columnNumber: 4 },
        },
      ],
      [],
    ]);
  });

  it("never requests an unsafe path", async () => {
    const { records, asked } = await lookUp(["A,Ann,,../a.pdf", "B,Bob,,root/b.pdf"], [], { documentRoot: "root" });
    expect(asked).toEqual([]);
    expect(problemsOf(records)).toEqual(["1 file unsafe_document_path", "2 file unsafe_document_path"]);
  });

  it("leaves other problems to validation, but reports problems that occur while reading", async () => {
    const { records } = await lookUp(["A,far too long,31/02/2024,a.pdf", "B,Bob"], ["a.pdf"]);
    expect(problemsOf(records)).toEqual(["2 non_field_errors source_ragged_row"]);
  });

  it("requests a repeated path once", async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => `R${index},Ann,,${index % 3}.pdf`);
    const { records, asked } = await lookUp(rows, ["0.pdf", "1.pdf"]);
    expect(asked).toEqual(["0.pdf", "1.pdf", "2.pdf"]);
    expect(problemsOf(records)).toHaveLength(666);
    expect(records.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  });

  it("limits its concurrency across batches that have few documents", async () => {
    const rows = Array.from({ length: 4000 }, (_, index) => `R${index},Ann,,${index % 40 === 0 ? `${index}.pdf` : ""}`);
    const { asked, mostAtOnce } = await lookUp(rows, [], { concurrency: 7 });
    expect(asked).toHaveLength(100);
    expect(mostAtOnce).toBe(7);
  });

  it("fails with the error of the store", async () => {
    const rows = Array.from({ length: 4000 }, (_, index) => `R${index},Ann,,${index}.pdf`);
    const refused = lookUp(rows, [], {
      ask: async () => {
        throw new Failure("store_refused", "no more");
      },
    });
    await expect(refused).rejects.toMatchObject({ code: "store_refused" });
  });
});
