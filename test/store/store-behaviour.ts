import { expect, onTestFinished, test } from "vitest";
import type { DocumentStore } from "../../src/store/document-store.ts";

/** A store whose documents the test adds directly. */
export interface FilledStore {
  /** Adds these documents and opens the store. */
  readonly withDocuments: (keys: readonly string[]) => Promise<DocumentStore>;
}

/** Keys that are difficult to encode and sign. */
const KEYS = [
  "plain.pdf",
  "sftp/migrated files/2024/A-123.pdf",
  "Zähler/münchen ablesung.pdf",
  "電気/契約書.pdf",
  "emoji/👩‍🔧.png",
  "a+b/c&d=e?f#g.pdf",
  "it's (1)!*.pdf",
  "50%_off;~x,@y$z.pdf",
  "a.b/c..d/e...pdf",
];

/** Registers the tests that every document store must pass. */
export function describeStore(open: () => Promise<FilledStore>): void {
  test.each(KEYS)("finds %s, but no document under a similar name", async (key) => {
    const store = await (await open()).withDocuments([key]);
    onTestFinished(store.close);
    expect(await store.has(key)).toBe(true);
    expect(await store.has(`${key}x`)).toBe(false);
    expect(await store.has(key.slice(0, -1))).toBe(false);
    expect(await store.has(key.replace(/^./u, "_"))).toBe(false);
  });

  test("finds documents, but not their folders", async () => {
    const store = await (await open()).withDocuments(["folder/in/a.pdf"]);
    onTestFinished(store.close);
    expect(await Promise.all(["folder/in/a.pdf", "folder/in", "folder"].map(store.has))).toEqual([true, false, false]);
  });

  test("answers many concurrent requests", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `many/${index}.pdf`);
    const store = await (await open()).withDocuments(keys);
    onTestFinished(store.close);
    const asked = [...keys, ...keys.map((key) => `no/${key}`)];
    expect(await Promise.all(asked.map(store.has))).toEqual([...keys.map(() => true), ...keys.map(() => false)]);
  });
}
