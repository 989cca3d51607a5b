import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { correctRejects, readCorrections } from "../../../src/commands/demo/demo.ts";
import { thingsFolder } from "../../job/sample-job.ts";

it("the demo corrects the listed cells in each source's rejects file, and counts the corrections", async () => {
  const folder = thingsFolder([]);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  write("rejects.csv", 'ID,NAME,migrate_key\nA,"An,n",A\nB,Bob,B\n');
  write("rejects.meters.csv", "ID,SERIAL\nA,1\n");
  write("rejects.docs.ndjson", '{"id":"A","owner":{"name":"x","age":"y"}}\n{"id":"B"}\n');
  write("errors.csv", "ID,NAME\nA,untouched\n");
  write(
    "corrections.csv",
    "SOURCE,ID,FIELD,VALUE\nroot,A,NAME,Ann\nroot,Z,NAME,nobody\nroot,B,NO_COLUMN,1\nmeters,A,SERIAL,2\n" +
      "docs,A,/owner/name,Ann\ndocs,A,/owner/age,\n",
  );
  const corrections = await readCorrections(path.join(folder, "corrections.csv"));
  const { cells, files } = await correctRejects(folder, "root", corrections);
  expect(cells).toBe(4);
  expect([...files.keys()].toSorted()).toEqual(["docs", "meters", "root"]);
  expect(read("rejects.csv")).toBe("ID,NAME,migrate_key\nA,Ann,A\nB,Bob,B\n");
  expect(read("rejects.meters.csv")).toBe("ID,SERIAL\nA,2\n");
  expect(read("rejects.docs.ndjson")).toBe('{"id":"A","owner":{"name":"Ann"}}\n{"id":"B"}\n');
  expect(read("errors.csv")).toContain("untouched");
});
