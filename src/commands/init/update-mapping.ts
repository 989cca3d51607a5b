import path from "node:path";
import { type YAMLMap, isMap, isNode, isScalar, isSeq, parseDocument as parseEditable } from "yaml";
import { withJsonNotation } from "../../contract/document/json-style.ts";
import { parseDocument } from "../../contract/document/yaml-document.ts";
import { rewriteFile } from "../../files/replace-file.ts";
import type { Contract } from "../../contract/contract.ts";
import { pathsFrom, readContractWithFindings, usableOperation } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { compileJob } from "../../job/job.ts";
import { openJobInput } from "../../job/job-input.ts";
import { readJobMapping } from "../../job/job-mapping.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { readMapping } from "../../map/document/mapping-document.ts";
import { type JsonValue, isJsonArray, isJsonObject, valueAt } from "../../json/json-value.ts";
import { Failure, recoverSync } from "../../model/failure.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { readTextFile, type TextFile } from "../../read/text/text-file.ts";
import { type MappingCheck, checkMapping } from "./check-mapping.ts";
import { fillAll, preparePayload, zoneOf } from "./guess/guess-mapping.ts";
import { parametersTree } from "./guess/request-fields.ts";
import type { Container, Slot } from "./guess/region.ts";
import { profileOptions } from "./init.ts";
import { type SourceNode, columnNamed } from "./joins.ts";
import { type SourceProfile, profileSources } from "./profile/profile-sources.ts";
import { leafText } from "./write/leaf-text.ts";
import { fieldLines } from "./write/mapping-text.ts";
import { renderLines, yamlText } from "./write/yaml-text.ts";
import { withDescendants } from "../../read/input/opened-source.ts";

export interface InitUpdate {
  readonly file: string;
  /** The attrs that were added. */
  readonly added: readonly string[];
  /** Required attrs that the extended mapping does not fill. */
  readonly open: readonly string[];
  /** The result of validating records; undefined if the mapping still lacks a required request parameter. */
  readonly check: MappingCheck | undefined;
}

/**
 * Adds missing required fields and request parameters to a mapping if a column or a constant can fill them, and changes
 * nothing else.
 * @throws Failure `usage` if no mapping is named, and failures while reading the mapping and its sources
 */
export async function updateMapping(settings: JobSettings, dependencies: Dependencies): Promise<InitUpdate> {
  if (settings.mapping === undefined) {
    throw new Failure("usage", "--update needs a mapping to add to", {
      hint: "set it with --mapping or in migrate.yaml; without --update, init writes a new one",
    });
  }
  const file = pathsFrom(settings.folder)(settings.mapping);
  const quiet = { ...dependencies, notice: () => undefined };
  const { plan, operation, contract } = await readSetup(settings, quiet);
  const profiles = await profileSources(
    withDescendants<SourceSpec>(plan).map(({ name, files }) => ({ name, patterns: files })),
    profileOptions(settings, dependencies),
  );
  const { text } = await readTextFile(file);
  const before = parseDocument({ file, text }, "mapping_invalid").value;
  const written = valueAt(before, ["payload"]) ?? {};
  const options = { operation, contract, supplier: settings.supplier };
  const payload = preparePayload(options);
  const parameters = parametersTree(options);
  const root = nodeOf(plan, profiles);
  placeAsWritten(payload, written, new Map(withDescendants(root).map((node) => [node.source.name, node])));
  for (const fields of [payload, parameters]) if (fields !== undefined) fillAll(fields, root);
  const { extended, found } = addFields(text, { payload, parameters }, zoneOf(contract));
  const { added, open } = found;
  requireOnlyAdded(before, { file, text: extended }, added);
  const lacksParameters = open.some((attr) => attr.split(".")[0] === "parameters");
  if (!lacksParameters) await requireValid({ file, text: extended }, { settings, contract, dependencies: quiet });
  if (added.length > 0) await rewriteFile(file, extended);
  const check = lacksParameters ? undefined : await checkMapping(settings, dependencies);
  return { file: path.normalize(file), added, open, check };
}

/** Reads the setup of a mapping without compiling the mapping, because a mapping without a parameter is invalid. */
async function readSetup(settings: JobSettings, dependencies: Dependencies) {
  const files = settings.contract.map(pathsFrom(settings.folder));
  const contract = await readContractWithFindings(files, dependencies, settings.rules);
  const document = await readJobMapping(settings);
  if (document === undefined) throw new Error("the settings name no mapping");
  const declared = usableOperation(contract, settings.operation ?? document.operation, files);
  const operation = { ...declared, ...definedMembers({ key: document.key ?? declared.key }) };
  const { plan, input } = await openJobInput(document, settings, dependencies);
  await input.close();
  return { plan, operation, contract };
}

interface ValidationContext {
  readonly settings: JobSettings;
  readonly contract: Contract;
  readonly dependencies: Dependencies;
}

/** @throws Failure `mapping_invalid` if the text is not a valid mapping */
async function requireValid(mapping: TextFile, { settings, contract, dependencies }: ValidationContext): Promise<void> {
  const parts = { contract, document: readMapping(mapping), now: dependencies.clock.now(), signal: dependencies.drain };
  const compiled = await compileJob(settings, parts, dependencies.notice);
  await compiled.mapping.close?.();
}

/** @throws Failure `usage` unless the extended mapping differs from the mapping only in the added fields */
function requireOnlyAdded(
  before: JsonValue,
  extended: { readonly file: string; readonly text: string },
  added: readonly string[],
): void {
  const read = (): JsonValue => parseDocument(extended, "mapping_invalid").value;
  const after = recoverSync<JsonValue | undefined>(read, () => undefined);
  if (after !== undefined && isPartOf(before, after) && membersIn(after) >= membersIn(before) + added.length) return;
  throw new Failure("usage", `${extended.file}: cannot add ${added.join(", ")} without changing other lines`, {
    hint: "nothing was written; add these fields yourself, or write the payload in block style",
  });
}

/** Whether an object has all members of another, at all levels, and all other values are equal. */
function isPartOf(part: JsonValue, whole: JsonValue | undefined): boolean {
  if (whole === undefined) return false;
  if (isJsonArray(part) && isJsonArray(whole)) {
    return part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index]));
  }
  if (!isJsonObject(part) || !isJsonObject(whole)) return part === whole;
  return Object.entries(part).every(([name, value]) => isPartOf(value, whole[name]));
}

function membersIn(value: JsonValue): number {
  const inner = isJsonArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return inner.reduce<number>((sum, item) => sum + membersIn(item), isJsonObject(value) ? inner.length : 0);
}

/** Converts the sources of a mapping to a tree of the same type as the guessed tree. */
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
 * Assigns to each list the source that the mapping uses for the list. If the mapping contains an array for a list, uses
 * the source of the first object in the array.
 */
function placeAsWritten(
  container: Container,
  written: JsonValue | undefined,
  nodes: ReadonlyMap<string, SourceNode>,
): void {
  if (!isJsonObject(written)) return;
  for (const field of container.fields) {
    const entry = written[field.name];
    if (field.kind === "slot" || entry === undefined) continue;
    const part = isJsonArray(entry) ? entry.find(isJsonObject) : entry;
    const each = field.isList && isJsonObject(part) ? part["each"] : undefined;
    if (typeof each === "string") field.source = nodes.get(each);
    placeAsWritten(field, typeof each === "string" && isJsonObject(part) ? part["item"] : part, nodes);
  }
}

/**
 * Adds the required fields and parameters that a mapping lacks if a column or a constant can fill them. Adds each field
 * after the last field of its object, and keeps every existing character.
 */
function addFields(
  text: string,
  { payload, parameters }: { readonly payload: Container; readonly parameters: Container | undefined },
  zone: string,
): { readonly extended: string; readonly found: Additions } {
  const found: Additions = { text, zone, insertions: [], added: [], open: [] };
  const { contents } = parseEditable(text);
  const root = isMap(contents) ? contents.get("payload") : undefined;
  // Of two insertions at the same position, the later one comes first in the text.
  if (isMap(contents) && parameters !== undefined) addTo(contents, parameters, found);
  if (isMap(root)) addTo(root, payload, found);
  const parts = found.insertions.toSorted((one, other) => other.at - one.at);
  const extended = parts.reduce((made, { at, inserted }) => made.slice(0, at) + inserted + made.slice(at), text);
  return { extended: withJsonNotation(text, extended), found };
}

interface Additions {
  readonly text: string;
  readonly zone: string;
  readonly insertions: { readonly at: number; readonly inserted: string }[];
  readonly added: string[];
  readonly open: string[];
}

function addTo(map: YAMLMap, container: Container, additions: Additions): void {
  const missing = container.fields.filter((field) => field.required && !map.has(field.name));
  const inserted: string[] = [];
  for (const field of missing) {
    const addition = additionFor(field, map, additions);
    if (addition === undefined) additions.open.push(field.path.join("."));
    else {
      inserted.push(addition);
      additions.added.push(field.path.join("."));
      if (field.kind === "container") additions.open.push(...openIn(field));
    }
  }
  if (inserted.length > 0) {
    const { text } = additions;
    const at = endOf(map, text);
    const needsBreak = map.flow !== true && text[at - 1] !== "\n";
    additions.insertions.push({ at, inserted: (needsBreak ? "\n" : "") + inserted.join("") });
  }
  for (const field of container.fields) {
    if (field.kind === "container") for (const inner of mapsOf(map.get(field.name))) addTo(inner, field, additions);
  }
}

/** Returns the required fields of an added object that nothing fills. */
function openIn({ fields }: Container): readonly string[] {
  return fields.flatMap((field) => {
    if (field.kind === "container")
      return field.included ? openIn(field) : field.required ? [field.path.join(".")] : [];
    return field.required && (field.guess ?? field.constant) === undefined ? [field.path.join(".")] : [];
  });
}

/**
 * Returns the objects that an entry describes: the entry itself, the items of a list literal, or the `item` of an
 * `each` or a `when`.
 */
function mapsOf(entry: unknown): readonly YAMLMap[] {
  if (isSeq(entry)) return entry.items.flatMap(mapsOf);
  if (!isMap(entry)) return [];
  const item = entry.has("each") || entry.has("when") ? entry.get("item") : undefined;
  return item === undefined ? [entry] : mapsOf(item);
}

/** Returns the text to insert; undefined if nothing can fill the field. */
function additionFor(field: Slot | Container, map: YAMLMap, { text, zone }: Additions): string | undefined {
  if (map.flow === true) {
    const leaf = field.kind === "slot" ? leafText(field, zone) : undefined;
    return leaf && `${map.items.length > 0 ? "," : ""} ${yamlText(field.name)}: ${leaf}`;
  }
  const lines = fieldLines(field, { depth: 0, zone });
  if (lines.every((line) => line.text === "")) return undefined;
  const indent = " ".repeat(columnOf(map, text));
  return renderLines(lines).replaceAll(/^(?=.)/gm, indent);
}

/** Returns the indentation of an object's keys. */
function columnOf(map: YAMLMap, text: string): number {
  const key = map.items[0]?.key;
  const start = isScalar(key) ? (key.range?.[0] ?? 0) : (map.range?.[0] ?? 0);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

/**
 * Returns the position after the last line of the object or, in a flow mapping (`{ }`), after its last entry or its
 * opening brace.
 */
function endOf(map: YAMLMap, text: string): number {
  const [start = 0, endOfMap = start] = map.range ?? [];
  const last = map.items.at(-1)?.value;
  const end = (isNode(last) ? last.range?.[1] : undefined) ?? endOfMap;
  if (map.flow === true) return last === undefined ? start + 1 : end;
  const line = text.indexOf("\n", text[end - 1] === "\n" ? end - 1 : end);
  return line < 0 ? text.length : line + 1;
}
