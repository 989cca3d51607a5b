import fc from "fast-check";
import { expect, it, test } from "vitest";
import { folderNames } from "../../../src/pipeline/owners/folder-names.ts";

it.each([
  ["Contact data", "Contact-data"],
  ["Büro Nord/../東", "Büro-Nord-東"],
  ["../../etc", "etc"],
  ["rejects.csv", "rejects-csv"],
  [".", "owner"],
  ["com1", "owner-com1"],
  ["=1+1", "1-1"],
])("names the folder of owner %j %j", (owner, name) => {
  expect([...folderNames([owner]).values()]).toEqual([name]);
});

it("adds numbers to names that a file system may confuse, in the order of the owners", () => {
  const owners = ["Nord", "NORD", "nord-2", "Straße", "STRASSE", "ﬁx", "fix", "é", "e\u0301", "Nord"];
  expect([...folderNames(owners).values()]).toEqual([
    "Nord",
    "NORD-2",
    "nord-2-2",
    "Straße",
    "STRASSE-2",
    "ﬁx",
    "fix-2",
    "é",
    "é-2",
  ]);
});

test("each owner has a unique and safe folder name", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: "binary", maxLength: 80 })), (owners) => {
      const names = [...folderNames(owners).values()];
      expect(names).toHaveLength(owners.length);
      expect(new Set(names.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(owners.length);
      for (const name of names) {
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}_-]+$/u);
        expect(Buffer.byteLength(name)).toBeLessThan(256);
      }
    }),
  );
});
