import { typesLeadingTo } from "../../contract/types/type-tree.ts";
import type { CompiledJob } from "../../job/job.ts";
import { documentRootOf } from "../../job/settings/supplier-settings.ts";
import { canonicalJson, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { contentTextHash, identitiesOf } from "../../ledger/records/record-hashes.ts";
import { hasAddedColumns } from "../../ledger/records/row-hash.ts";
import { compileSentValue } from "../../map/node/sent-form.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { compileJointChecks, type JointChecks } from "../plan/check-records.ts";
import type { JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { SendPurpose } from "../plan/plan-items.ts";
import { childRecords } from "./child-records.ts";
import { type ContentSink, hashSink, jsonSink } from "./content-sink.ts";
import { payloadSink, type PayloadSink } from "./payload-sink.ts";
import { type ScanRecords, createScanner, type PayloadTexts } from "./scan-records.ts";
import { type Encoder, type EncoderContext, UNCERTAIN } from "./encode-leaf.ts";
import { nodeEncoder } from "./encode-node.ts";

/**
 * The purpose of a scan: to validate records, to plan the records of a run that sends, or to read the payloads of
 * planned records again. `texts` receives the payloads of fast-path records as canonical JSON.
 */
export type ScanPurpose =
  | { readonly kind: "validate" }
  | { readonly kind: "plan"; readonly texts: ByteList; readonly identifiedBy: SendPurpose }
  | { readonly kind: "reread"; readonly texts: ByteList };

/** Undefined if the records of a file need the row path. */
export type CompileFile = (file: ChunkCsvFile, joined: readonly JoinedSource[]) => ScanRecords | undefined;

/**
 * Compiles mapping and contract into a scanner of record bytes. Undefined if the records must be read as rows: to plan
 * records that rules or the fields of steps apply to, or that wait for another record. When planned records are read
 * again, only their payloads matter, because the records have already been checked.
 */
export function compileFastPath(job: CompiledJob, purpose: ScanPurpose): CompileFile | undefined {
  const { mapping, operation, settings } = job;
  const { body } = operation;
  const node = mapping.payloadNode;
  if (node?.kind !== "object" || body?.kind !== "object" || hasRootOfPayload(job)) return undefined;
  const isJointlyValid = purpose.kind === "reread" ? undefined : compileJointChecks(job);
  if (!isSuitable(job, purpose, isJointlyValid)) return undefined;
  const documentRoot = documentRootOf({}, operation, settings);
  const built = isJointlyValid && payloadSink();
  const form = built ?? (purpose.kind === "validate" ? hashSink() : jsonSink(purpose.texts));
  const contentOf = purpose.kind === "validate" ? () => form.value : sentContentOf(form);
  const texts = payloadTexts(purpose);
  return (file, joined) => {
    if (hasAddedColumns(file.layout.header.table)) return undefined;
    let isKeyKnown = mapping.keyAttr === undefined;
    const children = joined.map((source) => ({ records: childRecords(source), isEncoded: false }));
    const make = nodeEncoder(node, body, [], {
      sink: form,
      contentOf,
      documentRoot,
      columnAt: (name) => file.layout.header.table.columnIndex.get(name),
      keyAttr: mapping.keyAttr,
      onKey: () => (isKeyKnown = true),
      childrenOf(name) {
        const child = children.find(({ records }) => records.name === name);
        if (child !== undefined) child.isEncoded = true;
        return child?.records;
      },
    });
    if (make === undefined || !isKeyKnown) return undefined;
    const makeValid = built && isJointlyValid ? jointEncoder(make, built, isJointlyValid) : make;
    return createScanner({ file, make: makeValid, texts, hasKey: mapping.keyAttr !== undefined, children });
  };
}

/** Payloads are built from bytes and checked together only to validate them: a run that sends checks rows. */
function isSuitable(job: CompiledJob, { kind }: ScanPurpose, joint: JointChecks | undefined): boolean {
  const { settings, operation } = job;
  if (kind === "reread") return true;
  if (settings.only !== undefined || operation.body?.assertions !== undefined) return false;
  return kind === "validate" || (joint === undefined && hasKeyIdentity(job));
}

/** `UNCERTAIN` if the payload that `make` builds does not pass. */
function jointEncoder(make: Encoder, sink: PayloadSink, isJointlyValid: JointChecks): Encoder {
  return (cells) => {
    sink.clear();
    const content = make(cells);
    if (content < 0) return content;
    const payload = sink.built();
    return isJsonObject(payload) && isJointlyValid(payload) ? content : UNCERTAIN;
  };
}

/** Whether a record of a run that sends is identified by its key alone and does not wait for another record. */
function hasKeyIdentity({ mapping, after }: CompiledJob): boolean {
  return mapping.keyAttr !== undefined && after === undefined;
}

function payloadTexts(purpose: ScanPurpose): PayloadTexts | undefined {
  if (purpose.kind === "validate") return undefined;
  if (purpose.kind === "reread") return { list: purpose.texts };
  const hashes = { identityOf: identitiesOf(purpose.identifiedBy), contentOf: contentTextHash };
  return { list: purpose.texts, hashes };
}

/**
 * Returns how to encode values of a type. The result is `UNCERTAIN` for a value that is converted before sending: the
 * ledger stores the hash of one string, and the request contains another, but the fast path writes only one.
 */
function sentContentOf(form: ContentSink): EncoderContext["contentOf"] {
  return (type) => {
    const toSent = compileSentValue(type);
    if (toSent === undefined) return form.value;
    const isSentUnchanged = (value: JsonValue): boolean => canonicalJson(toSent(value)) === canonicalJson(value);
    return (value) => (isSentUnchanged(value) ? form.value(value) : UNCERTAIN);
  };
}

/** Whether the root of document paths depends on the import supplier in the payload. */
function hasRootOfPayload({ operation, settings }: CompiledJob): boolean {
  if (operation.supplier === undefined || settings.documentRoots === undefined || operation.body === undefined)
    return false;
  const leading = typesLeadingTo(operation.body, (type) => type.kind === "text" && type.documentPath === true);
  return leading.has(operation.body);
}
