import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/cli/settings/config-file.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import { Failure } from "../../src/model/failure.ts";
import { readLookup } from "../../src/read/lists/lookup-table.ts";
import { read, source } from "./reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

/** Tokens that are significant to a reader. `WILD` combines them in any order, with any bytes between them. */
const PIECES = fc.constantFrom(
  ..."\"'`,;|\t\n\r{}[]:&*!<>=#%@\\-?~ ".split(""),
  ..."\r\n|\0|\u0085|\u2028|\ufeff|\u202e|\x1b[2J|é|\u{1f600}|''|\"\"|- |: |? |--- |... |!!js/function |!!binary |<<: *a|&a |*a|%YAML 9.9".split(
    "|",
  ),
  ..."__proto__|constructor|prototype|toString|then|toJSON|length|$ref|#/components|openapi: 3.0.3|overlay: 1.0.0|actions:".split(
    "|",
  ),
  ..."paths:|payload:|sources:|each:|item:|from:|lookup:|pattern: (a+)+$|targets:|baseUrl:|sep=;|null|true|1e999|0.1|-0".split(
    "|",
  ),
  '{"a":1}',
  '{"__proto__":{"polluted":true}}',
  "[[[[[[[[",
  "A,B\n1,2\n",
);
const WILD = fc
  .array(fc.oneof(PIECES, fc.string({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 })), { maxLength: 40 })
  .map((parts) => Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))));

/** Time limit of one case. Most cases take a millisecond or two. */
const HANG_MS = scaledTimeout(20_000);
const MAX_GROWTH = 64 * 2 ** 20;

type Reader = (path: string, text: string) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  "extract.csv": (path) => read(source(path)),
  "extract.json": (path) => read(source(path)),
  "extract.ndjson": (path) => read(source(path)),
  "extract.dat": (path) => read(source(path)),
  "extract.csv.gz": (path) => read(source(path)),
  "utf-16.csv": (path) => read(source(path), { encoding: "utf-16le" }),
  "shift-jis.csv": (path) => read(source(path), { encoding: "shift_jis" }),
  "lookup.csv": (path) => readLookup(path),
  "migrate.yaml": (path) => readConfig(path, "/"),
  "mapping.yaml": (path, text) => readMapping({ file: path, text }),
  "contract.yaml": (path, text) => loadContract([{ file: path, text }]),
  "overlay.yaml": (path, text) =>
    loadContract([
      { file: "contract.yaml", text: CONTRACT },
      { file: path, text },
    ]),
};

const CONTRACT = `
openapi: 3.0.3
info: { title: Test, version: "1" }
paths:
  /accounts/:
    post:
      operationId: import
      requestBody: { content: { application/json: { schema: { type: object, properties: { a: { type: string } } } } } }
      responses: { "201": { description: Done } }
`;

describe.each(Object.entries(READERS))("%s with any content", (name, reader) => {
  it("is read or rejected without a crash, a hang, a memory leak or a changed prototype", async () => {
    const folder = temporaryFolder();
    const path = join(folder, name);
    const prototypes = prototypesNow();
    const heldBefore = memoryHeld();
    const property = fc.asyncProperty(WILD, async (bytes) => {
      await writeFile(path, bytes);
      const startedAt = performance.now();
      const end = await Promise.resolve()
        .then(() => reader(path, bytes.toString()))
        .then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(end === undefined || end instanceof Failure ? "fine" : end).toBe("fine");
      expect(performance.now() - startedAt).toBeLessThan(HANG_MS);
    });
    await fc.assert(property, { numRuns: campaignSize({ part: 50, whole: 100 }) });
    expect(prototypesNow()).toEqual(prototypes);
    expect(memoryHeld() - heldBefore).toBeLessThan(MAX_GROWTH);
  });
});

/** Returns the property keys of the prototypes that a forged name could change. */
function prototypesNow(): readonly (readonly PropertyKey[])[] {
  return [Object.prototype, Array.prototype, Function.prototype, Map.prototype, String.prototype].map((prototype) =>
    Reflect.ownKeys(prototype),
  );
}

function memoryHeld(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
