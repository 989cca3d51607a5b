import { typesLeadingTo } from "../../contract/types/type-tree.ts";
import type { CompiledJob } from "../../job/job.ts";
import { documentRootOf } from "../../job/settings/supplier-settings.ts";
import { createFastContentHash } from "../../ledger/records/fast-content-hash.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { checksValuesAlone } from "../plan/check-records.ts";
import type { JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import type { ItemSettings } from "../plan/plan-items.ts";
import { childRecords } from "./child-records.ts";
import { type FindPlain, plainFinder } from "./find-plain.ts";
import { nodeMaker } from "./plain-node.ts";

/**
 * Compiles mapping and contract into one walk over the bytes of a record. Undefined where more than each value by itself decides
 * what a record is: rules, steps, a run that sends.
 */
export function compilePlainRecords(
  job: CompiledJob,
  { endpoint }: ItemSettings,
): ((file: ChunkCsvFile, joined: readonly JoinedSource[]) => FindPlain | undefined) | undefined {
  const { mapping, operation, settings } = job;
  const { body } = operation;
  const node = mapping.payloadNode;
  const isSuitable =
    endpoint === "" && settings.only === undefined && node?.kind === "object" && body?.kind === "object";
  if (!isSuitable || body.assertions !== undefined || !checksValuesAlone(job) || hasRootOfPayload(job))
    return undefined;
  const documentRoot = documentRootOf({}, operation, settings);
  const contentOf = createFastContentHash();
  return (file, joined) => {
    let isKeyKnown = mapping.keyAttr === undefined;
    const children = joined.map((source) => ({ records: childRecords(source), isMade: false }));
    const make = nodeMaker(node, body, [], {
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
      ? plainFinder({ file, make, hasKey: mapping.keyAttr !== undefined, children })
      : undefined;
  };
}

/** Where documents lie depends on the import supplier that a payload names. */
function hasRootOfPayload({ operation, settings }: CompiledJob): boolean {
  if (operation.supplier === undefined || settings.documentRoots === undefined || operation.body === undefined)
    return false;
  const leading = typesLeadingTo(operation.body, (type) => type.kind === "text" && type.documentPath === true);
  return leading.has(operation.body);
}
