import path from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { stat } from "node:fs/promises";
import type { Dependencies } from "../../job/dependencies.ts";
import { type JobSettings, openJob } from "../../job/job.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { parseDocument } from "../../contract/document/yaml-document.ts";
import { Failure } from "../../model/failure.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { checkMapping, type MappingCheck } from "./check-mapping.ts";
import { fillAll, preparePayload, zoneOf } from "./guess/guess-mapping.ts";
import type { Container } from "./guess/region.ts";
import { columnNamed, nodesOf, type SourceNode } from "./joins.ts";
import { profileSources, type SourceProfile } from "./profile/profile-sources.ts";
import { profileOptions } from "./init.ts";
import { addFields } from "./write/add-fields.ts";

/** The result of adding fields to a mapping. */
export interface InitUpdate {
  readonly file: string;
  readonly added: readonly string[];
  /** Required attrs that nothing fills and no column fits. */
  readonly open: readonly string[];
  readonly check: MappingCheck;
}

/**
 * Adds missing required fields to a mapping if a column fits them, and changes nothing else.
 * @throws Failure `usage` if no mapping is named, and the failures of reading the mapping and its sources
 */
export async function updateMapping(settings: JobSettings, dependencies: Dependencies): Promise<InitUpdate> {
  if (settings.mapping === undefined) {
    throw new Failure("usage", "--update needs a mapping to add to", {
      hint: "set it with --mapping or in migrate.yaml; without --update, init writes a new one",
    });
  }
  const file = pathsFrom(settings.folder)(settings.mapping);
  const { plan, operation, contract, input } = await openJob(settings, { ...dependencies, notice: () => undefined });
  await input.close();
  const profiles = await profileSources(
    sourcesOf(plan).map(({ name, files }) => ({ name, patterns: files })),
    profileOptions(settings, dependencies),
  );
  const { text } = await readTextFile(file);
  const written = valueAt(parseDocument({ file, text }, "mapping_invalid").value, ["payload"]) ?? {};
  const { payload, scores } = preparePayload({ operation, contract, supplier: settings.supplier });
  const root = nodeOf(plan, profiles);
  placeAsWritten(payload, written, new Map(nodesOf(root).map((node) => [node.source.name, node])));
  fillAll(payload, root, scores);
  const { text: extended, added, open } = addFields(text, payload, zoneOf(contract));
  if (added.length > 0) await replaceFile(file, extended, { mode: (await stat(file)).mode & 0o777 });
  return { file: path.normalize(file), added, open, check: await checkMapping(settings, dependencies) };
}

function sourcesOf(spec: SourceSpec): readonly SourceSpec[] {
  return [spec, ...spec.children.flatMap(sourcesOf)];
}

/** Converts the joins of the mapping to the form of guessed joins. */
function nodeOf(spec: SourceSpec | ChildSpec, profiles: readonly SourceProfile[], above?: SourceProfile): SourceNode {
  const source = profiles.find(({ name }) => name === spec.name);
  if (source === undefined) throw new Error(`the source ${spec.name} was not read`);
  const key = spec.key === undefined ? undefined : columnNamed(source, spec.key);
  const on = "on" in spec ? columnNamed(source, spec.on) : undefined;
  const join = above &&
    on && { from: source, column: on, to: above, key: on, hits: 1, kind: "many-to-one" as const, score: 1 };
  return {
    source,
    key,
    parent: join && { join, shared: false },
    children: spec.children.map((child) => nodeOf(child, profiles, source)),
  };
}

/**
 * Assigns each list the source that the mapping uses for it; for a list of several parts, the source of the first part.
 */
function placeAsWritten(
  container: Container,
  written: JsonValue | undefined,
  nodes: ReadonlyMap<string, SourceNode>,
): void {
  if (written === undefined || !isJsonObject(written)) return;
  for (const field of container.fields) {
    const entry = written[field.name];
    if (field.kind === "slot" || entry === undefined) continue;
    const part = isJsonArray(entry) ? entry.find(isJsonObject) : entry;
    const each = field.isList && isJsonObject(part) ? part["each"] : undefined;
    if (typeof each === "string") field.source = nodes.get(each);
    placeAsWritten(field, typeof each === "string" && isJsonObject(part) ? part["item"] : part, nodes);
  }
}
