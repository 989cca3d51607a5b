import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { InputRecord } from "../../../src/model/record.ts";
import type { SourceSpec } from "../../../src/model/source-spec.ts";
import { openInput } from "../../../src/read/input/open-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Returns a join plan: accounts with notes and ordered customers, and customers with meters. */
function plan(folder: string): SourceSpec {
  const file = (name: string): readonly string[] => [path.join(folder, `${name}.csv`)];
  return {
    name: "accounts",
    files: file("accounts"),
    key: "REF",
    children: [
      {
        name: "customers",
        files: file("customers"),
        on: "REF",
        orderBy: { column: "SEQ" },
        key: "ID",
        children: [{ name: "meters", files: file("meters"), on: "CUSTOMER", children: [] }],
      },
      { name: "notes", files: file("notes"), on: "ACCOUNT", children: [] },
    ],
  };
}

const few = fc.integer({ min: 0, max: 6 });

it("finds by number the same records as a full read", async () => {
  const folder = temporaryFolder();
  const write = (name: string, header: string, rows: readonly (readonly unknown[])[]): void =>
    writeFileSync(path.join(folder, `${name}.csv`), [header, ...rows.map((row) => row.join(",")), ""].join("\n"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(few, { minLength: 1, maxLength: 8 }),
      fc.uniqueArray(fc.record({ ref: few, seq: few, id: fc.integer({ min: 0, max: 99 }) }), {
        selector: ({ id }) => id,
        maxLength: 12,
      }),
      fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 12 }),
      fc.array(few, { maxLength: 8 }),
      async (accounts, customers, meters, notes) => {
        write(
          "accounts",
          "REF,NAME",
          accounts.map((ref, at) => [`A${ref}`, `n${at}`]),
        );
        write(
          "customers",
          "REF,SEQ,ID",
          customers.map(({ ref, seq, id }) => [`A${ref}`, seq, id]),
        );
        write(
          "meters",
          "CUSTOMER,MPAN",
          meters.map((customer, at) => [customer, at]),
        );
        write(
          "notes",
          "ACCOUNT,TEXT",
          notes.map((ref, at) => [`A${ref}`, `t${at}`]),
        );
        const input = await openInput(plan(folder), {
          tempFolder: path.join(folder, "temp"),
          onNotice: () => undefined,
        });
        try {
          const all: InputRecord[] = [];
          // A full read fails if no row of a source matches.
          try {
            for await (const batch of input.records()) all.push(...batch);
          } catch {
            fc.pre(false);
          }
          const roots = all.filter(({ orphan }) => !orphan);
          const numbers = new Set(roots.filter((_, at) => at % 2 === 0).map(({ number }) => number));
          const found = await input.find({ isWanted: (_row, number) => numbers.has(number), limit: numbers.size });
          expect(found).toEqual(roots.filter(({ number }) => numbers.has(number)));
        } finally {
          await input.close();
        }
      },
    ),
    { numRuns: 60 },
  );
});

it("stops reading the root source after the last wanted record", async () => {
  const folder = temporaryFolder({
    "accounts.csv": `REF,NAME\n${Array.from({ length: 20_000 }, (_, at) => `A${at},some name\n`).join("")}`,
    "customers.csv": "REF,SEQ,ID\n",
    "meters.csv": "CUSTOMER,MPAN\n",
    "notes.csv": "ACCOUNT,TEXT\n",
  });
  const input = await openInput(plan(folder), { tempFolder: path.join(folder, "temp"), onNotice: () => undefined });
  let asked = 0;
  const found = await input.find({
    isWanted: (_row, number) => {
      asked = number;
      return number === 3;
    },
    limit: 1,
  });
  expect(found.map(({ number }) => number)).toEqual([3]);
  expect(asked).toBeLessThan(10_000);
  await input.close();
});
