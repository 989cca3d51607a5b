import { typesLeadingTo } from "../../contract/types/type-tree.ts";
import type { CompiledJob } from "../../job/job.ts";
import { documentRootOf } from "../../job/settings/supplier-settings.ts";
import { canonicalJson, type JsonValue } from "../../json/json-value.ts";
import { contentTextHash, identitiesOf } from "../../ledger/records/record-hashes.ts";
import { compileSentValue } from "../../map/node/sent-form.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { checksValuesAlone } from "../plan/check-records.ts";
import type { JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { ItemSettings } from "../plan/plan-items.ts";
import { childRecords } from "./child-records.ts";
import { type ContentForm, markForm, textForm } from "./content-form.ts";
import { type FindPlain, plainFinder, type PlainTexts } from "./find-plain.ts";
import { type PlainContext, UNSURE } from "./plain-leaf.ts";
import { nodeMaker } from "./plain-node.ts";

/**
 * Compiles mapping and contract into one walk over the bytes of a record. Undefined where more than each value by itself decides
 * what a record is: rules, steps, records that others have to wait for.
 * @param texts of a run that sends, takes the payloads of the records that are told, as canonical JSON
 */
export function compilePlainRecords(
  job: CompiledJob,
  { endpoint, supplier }: ItemSettings,
  texts: ByteList,
): ((file: ChunkCsvFile, joined: readonly JoinedSource[]) => FindPlain | undefined) | undefined {
  const { mapping, operation, settings } = job;
  const { body } = operation;
  const node = mapping.payloadNode;
  const isSent = endpoint !== "";
  if (node?.kind !== "object" || body?.kind !== "object" || !isSuitable(job, isSent)) return undefined;
  const documentRoot = documentRootOf({}, operation, settings);
  const form = isSent ? textForm(texts) : markForm();
  const contentOf = isSent ? sentContentOf(form) : () => form.value;
  const planned: PlainTexts | undefined = isSent
    ? { list: texts, identityOf: identitiesOf({ endpoint, supplier }), contentOf: contentTextHash }
    : undefined;
  return (file, joined) => {
    let isKeyKnown = mapping.keyAttr === undefined;
    const children = joined.map((source) => ({ records: childRecords(source), isMade: false }));
    const make = nodeMaker(node, body, [], {
      form,
      contentOf,
      documentRoot,
      columnAt: (name) => file.layout.header.table.columnIndex.get(name),
      keyAttr: mapping.keyAttr,
      onKey: () => (isKeyKnown = true),
      childrenOf(name) {
        const child = children.find(({ records }) => records.name === name);
        if (child !== undefined) child.isMade = true;
        return child?.records;
      },
    });
    return make && isKeyKnown
      ? plainFinder({ file, make, texts: planned, hasKey: mapping.keyAttr !== undefined, children })
      : undefined;
  };
}

function isSuitable(job: CompiledJob, isSent: boolean): boolean {
  if (job.settings.only !== undefined || job.operation.body?.assertions !== undefined) return false;
  if (isSent && (job.mapping.keyAttr === undefined || job.after !== undefined)) return false;
  return checksValuesAlone(job) && !hasRootOfPayload(job);
}

/** What is not sent as it is has two texts: what the ledger knows it by, and what goes out. */
function sentContentOf(form: ContentForm): PlainContext["contentOf"] {
  return (type) => {
    const toSent = compileSentValue(type);
    if (toSent === undefined) return form.value;
    const isSentAsItIs = (value: JsonValue): boolean => canonicalJson(toSent(value)) === canonicalJson(value);
    return (value) => (isSentAsItIs(value) ? form.value(value) : UNSURE);
  };
}

/** Where documents lie depends on the import supplier that a payload names. */
function hasRootOfPayload({ operation, settings }: CompiledJob): boolean {
  if (operation.supplier === undefined || settings.documentRoots === undefined || operation.body === undefined)
    return false;
  const leading = typesLeadingTo(operation.body, (type) => type.kind === "text" && type.documentPath === true);
  return leading.has(operation.body);
}
