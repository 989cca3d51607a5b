import { createFastContentHash } from "../../json/fast-content-hash.ts";
import { typesLeadingTo } from "../../contract/types/type-tree.ts";
import type { CompiledJob } from "../../job/job.ts";
import { documentRootOf } from "../../job/settings/supplier-settings.ts";
import { canonicalJson, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { identitiesOf } from "../../ledger/records/record-hashes.ts";
import { hasAddedColumns } from "../../ledger/records/row-hash.ts";
import { compileSentValue } from "../../map/node/sent-form.ts";
import type { ChunkFile } from "../../read/chunks/record-chunk.ts";
import { compileJointChecks, type JointChecks } from "../plan/check-records.ts";
import type { JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { SendPurpose } from "../plan/plan-items.ts";
import { childRecords } from "./child-records.ts";
import { type ContentSink, hashSink, jsonSink } from "./content-sink.ts";
import { payloadSink, type PayloadSink } from "./payload-sink.ts";
import { type ScanRecords, createScanner, type PayloadTexts } from "./scan-records.ts";
import { csvReader, jsonReader, type RecordReader } from "./record-reader.ts";
import { type Encoder, type EncoderContext, UNCERTAIN } from "./encode-leaf.ts";
import { nodeEncoder } from "./encode-node.ts";

/**
 * The purpose of a scan. `validate` validates records, `plan` plans records for sending, and `reread` reads the
 * payloads of planned records again. `texts` receives the payloads of fast-path records as canonical JSON.
 */
export type ScanPurpose =
  | { readonly kind: "validate" }
  | { readonly kind: "plan"; readonly texts: ByteList; readonly identifiedBy: SendPurpose }
  | { readonly kind: "reread"; readonly texts: ByteList };

/** Compiles the scanner for a file. Returns undefined if the file's records need the row path. */
export type CompileFile = (file: ChunkFile, joined: readonly JoinedSource[]) => ScanRecords | undefined;

/**
 * Returns a function that compiles the mapping and the contract into a scanner for the bytes of a file's records.
 * Returns undefined if the records must be read as rows, for example to select some of them, or to plan records that
 * wait for another record. When planned records are read again, only their payloads matter, because the records have
 * already been checked.
 */
export function compileFastPath(job: CompiledJob, purpose: ScanPurpose): CompileFile | undefined {
  const { mapping, operation, settings } = job;
  const { body } = operation;
  const node = mapping.payloadNode;
  if (node?.kind !== "object" || body?.kind !== "object" || hasRootOfPayload(job)) return undefined;
  if (!isSuitable(job, purpose)) return undefined;
  const documentRoot = documentRootOf({}, operation, settings);
  const texts = payloadTexts(purpose);
  const isJointlyValid = purpose.kind === "reread" ? undefined : compileJointChecks(job);
  const built = isJointlyValid && payloadSink();
  const form = built ?? (purpose.kind === "validate" ? hashSink() : jsonSink(purpose.texts));
  const contentOf = sentContentOf(form, purpose);
  return (file, joined) => {
    const reader = readerOf(file, job, texts?.identityOf !== undefined);
    if (reader === undefined) return undefined;
    let isKeyKnown = mapping.keyAttr === undefined;
    const children = joined.map((source) => ({ records: childRecords(source), isEncoded: false }));
    const make = nodeEncoder(node, body, [], {
      sink: form,
      contentOf,
      documentRoot,
      columnAt: (name) => reader.table.columnIndex.get(name),
      keyAttr: mapping.keyAttr,
      onKey: () => (isKeyKnown = true),
      childrenOf(name) {
        const child = children.find(({ records }) => records.name === name);
        if (child !== undefined) child.isEncoded = true;
        return child?.records;
      },
    });
    if (make === undefined || !isKeyKnown) return undefined;
    const makeValid = isJointlyValid && built ? jointEncoder(make, isJointlyValid, built, texts?.list) : make;
    return createScanner({ reader, make: makeValid, texts, hasKey: mapping.keyAttr !== undefined, children });
  };
}

function readerOf(file: ChunkFile, { mapping }: CompiledJob, hashesRows: boolean): RecordReader | undefined {
  if (file.kind === "csv") return hasAddedColumns(file.layout.header.table) ? undefined : csvReader(file);
  const columns = new Set([...mapping.columns.values()].flat());
  return file.keys.length > 0 ? undefined : jsonReader(file, [...columns], hashesRows);
}

function isSuitable({ settings, operation, mapping, after }: CompiledJob, { kind }: ScanPurpose): boolean {
  if (kind === "reread") return true;
  if (settings.only !== undefined || operation.body?.assertions !== undefined) return false;
  // To be sent, a record must be identified by its key alone, and must not wait for another record.
  return kind === "validate" || (mapping.keyAttr !== undefined && after === undefined);
}

/**
 * Returns an encoder whose result is `UNCERTAIN` if the payload that `make` builds does not pass the joint checks.
 * Rules can depend on the order of members, so the payload keeps the order of the mapping instead of the canonical
 * order.
 * @param texts for a push: receives the payload as canonical JSON
 */
function jointEncoder(
  make: Encoder,
  isJointlyValid: JointChecks,
  sink: PayloadSink,
  texts: ByteList | undefined,
): Encoder {
  return (cells) => {
    sink.clear();
    const content = make(cells);
    if (content < 0) return content;
    const payload = sink.built();
    if (!isJsonObject(payload) || !isJointlyValid(payload)) return UNCERTAIN;
    texts?.addText(canonicalJson(payload));
    return content;
  };
}

function payloadTexts(purpose: ScanPurpose): PayloadTexts | undefined {
  if (purpose.kind === "validate") return undefined;
  if (purpose.kind === "reread") return { list: purpose.texts };
  return { list: purpose.texts, identityOf: identitiesOf(purpose.identifiedBy) };
}

/**
 * Returns a function that returns the encoder for the values of a type. For a value that is converted before it is
 * sent, `validate` uses the hash of the converted value. A push needs the row path (`UNCERTAIN`), because rules read
 * the value that was given, but the request contains the converted value.
 */
function sentContentOf(form: ContentSink, { kind }: ScanPurpose): EncoderContext["contentOf"] {
  const hash = createFastContentHash();
  return (type) => {
    const toSent = compileSentValue(type);
    if (toSent === undefined) return form.value;
    if (kind === "validate") {
      return (value) => {
        form.value(value);
        return hash(toSent(value));
      };
    }
    const isSentUnchanged = (value: JsonValue): boolean => canonicalJson(toSent(value)) === canonicalJson(value);
    return (value) => (isSentUnchanged(value) ? form.value(value) : UNCERTAIN);
  };
}

/** Whether the root location for document paths depends on the import supplier in the payload. */
function hasRootOfPayload({ operation, settings }: CompiledJob): boolean {
  if (operation.supplier === undefined || settings.documentRoots === undefined || operation.body === undefined)
    return false;
  const leading = typesLeadingTo(operation.body, (type) => type.kind === "text" && type.documentPath === true);
  return leading.has(operation.body);
}
