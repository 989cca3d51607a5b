import path from "node:path";
import type { GuessedMapping } from "../guess/guess-mapping.ts";
import type { Container, Slot } from "../guess/region.ts";
import { type ColumnProfile, dateForm, shareOf } from "../profile/column-profile.ts";
import { nameWords } from "../guess/field-names.ts";
import { joinColumn, type Parent, type SourceNode, type SourceTree } from "../joins.ts";
import { choicesText, guessComment, leafText } from "./leaf-text.ts";
import { BLANK, commentLine, type Line, MAPPING_SCHEMA_FILE, renderLines, schemaLine, yamlText } from "./yaml-text.ts";
import { withDescendants } from "../../../read/input/opened-source.ts";

/** Returns the text of the mapping file. Comments explain each guess and list the remaining work. */
export function mappingText(guessed: GuessedMapping, folder: string): string {
  const { operation, tree, payload } = guessed;
  return renderLines([
    commentLine(0, schemaLine(MAPPING_SCHEMA_FILE)),
    BLANK,
    ...INTRODUCTION.map((comment) => commentLine(0, comment)),
    BLANK,
    { depth: 0, text: `operation: ${yamlText(operation.id)}` },
    ...keyLines(guessed),
    { depth: 0, text: "sources:" },
    ...sourceLines(tree.root, folder),
    ...leftLines(guessed),
    BLANK,
    ...payloadLines(containerLines(payload, { depth: 1, zone: guessed.zone })),
    ...requestLines(guessed),
    ...unusedLines(guessed),
  ]);
}

/** Without a field, writes an empty object, because a payload that contains only comments would not be an object. */
function payloadLines(fields: readonly Line[]): readonly Line[] {
  if (fields.some(({ text }) => text !== "")) return [{ depth: 0, text: "payload:" }, ...fields];
  return [
    { depth: 0, text: "payload: {}", comment: "TODO no column matches a field; write fields instead of {}" },
    ...fields,
  ];
}

function requestLines({ parameters, steps, zone }: GuessedMapping): readonly Line[] {
  return [parameters, steps].flatMap((fields) =>
    fields === undefined ? [] : [BLANK, ...containerLines(fields, { depth: 0, zone })],
  );
}

function keyLines({ operation, key }: GuessedMapping): readonly Line[] {
  if (operation.key !== undefined) return [];
  if (key === undefined) return [todo(0, "key: the field that identifies a record")];
  return [{ depth: 0, text: `key: ${yamlText(key)}` }];
}

const INTRODUCTION = [
  "Written by `migrate init` from the extracts. The entries are guesses: a comment shows the score of a guess (0 to 1)",
  "and other possible columns. Check the low scores and each TODO, then run `migrate validate`.",
];

function todo(depth: number, text: string): Line {
  return commentLine(depth, `TODO ${text}`);
}

function sourceLines(node: SourceNode, folder: string): readonly Line[] {
  const { source, key, parent, children } = node;
  const files = source.files.map(({ path: file, sheet }) =>
    yamlText(`${relativePath(file, folder)}${sheet === undefined ? "" : `#${sheet}`}`),
  );
  const order = orderColumn(node);
  const entries = [
    `files: ${oneOrMore(files)}`,
    ...(key === undefined ? [] : [`key: ${yamlText(key.name)}`]),
    ...(parent === undefined ? [] : [parentText(parent)]),
    ...(order === undefined ? [] : [`orderBy: ${yamlText(order)}`]),
  ];
  const comment = parent === undefined ? "one row is one record" : joinComment(parent);
  return [
    { depth: 1, text: `${yamlText(source.name)}: { ${entries.join(", ")} }`, comment },
    ...children.flatMap((child) => sourceLines(child, folder)),
  ];
}

function parentText({ join: { from, column, to, key }, shared }: Parent): string {
  const [above, on] = shared
    ? [from.name, `{ ${yamlText(key.name)}: ${yamlText(column.name)} }`]
    : [to.name, yamlText(column.name)];
  return `parent: ${yamlText(above)}, on: ${on}`;
}

function joinComment({ join: { hits, from, to }, shared }: Parent): string {
  return shared
    ? `${percent(hits)} of the rows of ${from.name} refer to a row of this source; several of them may refer to the same row`
    : `${percent(hits)} of its rows belong to a row of ${to.name}`;
}

export function percent(share: number): string {
  return share === 1 ? "100%" : `${Math.min(99.9, Math.floor(share * 1000) / 10)}%`;
}

/** Renders a single item, or several items as a list in brackets. */
export function oneOrMore(items: readonly string[]): string {
  return items.length === 1 ? items.join("") : `[${items.join(", ")}]`;
}

export function relativePath(file: string, folder: string): string {
  return path.relative(folder, file).replaceAll(path.sep, "/");
}

/**
 * Returns the column that orders the rows of one parent: a sequence number, or a date whose text sorts chronologically.
 * A date of birth does not qualify, because extracts list persons in the order of the old system.
 */
function orderColumn({ source, parent }: SourceNode): string | undefined {
  if (parent === undefined || parent.shared) return undefined;
  const whole = source.columns.filter(({ filled, empty }) => filled > 0 && empty === 0);
  const counting = whole.find(
    (column) => nameWords(column.name).includes("sequence") && shareOf(column, "integer") === 1,
  );
  const dated = whole.find((column) => {
    if (nameWords(column.name).includes("birth")) return false;
    const pattern = dateForm(column)?.pattern;
    return pattern === "yyyyMMdd" || pattern?.startsWith("yyyy-MM-dd") === true;
  });
  return (counting ?? dated)?.name;
}

/** Lists the sources that no join reaches, the sources that fill no list, and the JSON lists with unused items. */
function leftLines(guessed: GuessedMapping): readonly Line[] {
  const { tree, unplaced } = guessed;
  const alone = tree.left.map(
    ({ name, files }) =>
      `${name} (${files.map(({ file }) => path.basename(file)).join(", ")}): none of its columns refers to rows of another source`,
  );
  const unused = unplaced.map(
    (node) =>
      `${node.source.name}: joined, but no list in the payload seems to use its rows${rowColumnsText(node, tree)}`,
  );
  return [...alone, ...unused, ...laterItems(guessed)].map((text) => todo(1, text));
}

/**
 * Describes each JSON list whose first item fills a field and that has more items in some records. If the source has
 * only one row, the items of its outermost list may be the records.
 */
function laterItems(guessed: GuessedMapping): readonly string[] {
  const used = usedColumns(guessed);
  return withDescendants(guessed.tree.root).flatMap(({ source: { name, columns, rows } }) => {
    const firsts = columns.filter((column) => used.has(column)).flatMap((column) => firstItems(column.name));
    const lists = [...new Set(firsts)].filter((list) => columns.some((column) => column.name.startsWith(`${list}.1`)));
    const [outermost] = lists;
    if (rows === 1 && outermost !== undefined) {
      return `${name}: has only one record; if the items of ${outermost} are the records, save this list as a file of its own and run \`migrate init\` with that file; otherwise, map the other items too, such as ${outermost}.1`;
    }
    return lists.map(
      (list) =>
        `${name}: the payload uses only the first item of ${list}, but some records have more; map the other items too, such as ${list}.1`,
    );
  });
}

/** Returns the lists whose first item contains a column: the first items of `a` and `a.0.b` contain `a.0.b.0.c`. */
function firstItems(column: string): readonly string[] {
  return [...column.matchAll(/\.0(?=\.|$)/g)].map(({ index }) => column.slice(0, index));
}

const MAX_COLUMNS = 12;

/** Describes how the payload can use the columns of a source that fills no list, such as `but000.adrc.STREET`. */
function rowColumnsText(node: SourceNode, { root }: SourceTree): string {
  const paths = columnPaths(node, pathTo(node, root)).slice(0, MAX_COLUMNS);
  if (paths.length === 0) return "";
  return `; with \`pick: first\`, which omits all other rows of a parent, its columns can fill fields: ${paths.join(", ")}; to use all rows, fill a list with \`each\``;
}

/** Returns the names of the sources on the path from the root to the node, without the root. */
function pathTo(node: SourceNode, above: SourceNode): readonly string[] {
  const next = above.children.find((child) => withDescendants(child).includes(node));
  return next === undefined ? [] : [next.source.name, ...pathTo(node, next)];
}

function columnPaths(node: SourceNode, names: readonly string[]): readonly string[] {
  const on = joinColumn(node);
  const own = node.source.columns.filter((column) => column !== on && column !== node.key && column.filled > 0);
  const below = node.children.flatMap((child) => columnPaths(child, [...names, child.source.name]));
  return [...own.map(({ name }) => [...names, name].join(".")), ...below];
}

interface Writing {
  readonly depth: number;
  readonly zone: string;
}

function containerLines(container: Container, writing: Writing): readonly Line[] {
  const { depth } = writing;
  const fields = container.fields.toSorted((one, other) => Number(other.required) - Number(one.required));
  const lines = fields.flatMap((field) => fieldLines(field, writing));
  const left = fields.filter((field) => !field.required && !isWritten(field)).map(({ name }) => name);
  const rest = left.length === 0 ? [] : [commentLine(depth, `optional, without a matching column: ${left.join(", ")}`)];
  return [...lines, ...rest];
}

function isWritten(field: Slot | Container): boolean {
  return field.kind === "slot" ? field.guess !== undefined : field.included;
}

export function fieldLines(field: Slot | Container, writing: Writing): readonly Line[] {
  return field.kind === "slot" ? slotLines(field, writing) : objectLines(field, writing);
}

function slotLines(slot: Slot, { depth, zone }: Writing): readonly Line[] {
  const text = leafText(slot, zone);
  if (text !== undefined) {
    const comment = slot.guess === undefined ? "required" : guessComment(slot, zone);
    return [{ depth, text: `${yamlText(slot.name)}: ${text}`, comment }];
  }
  if (!slot.required) return [];
  const choices = slot.type.kind === "choice" ? `; one of ${choicesText(slot.type.choices)}` : "";
  const same = slot.isKey ? "" : "; if all records have the same value: { value: ... }";
  return [todo(depth, `${slot.name}: required; ${guessComment(slot, zone)}${choices}${same}`)];
}

function objectLines(container: Container, writing: Writing): readonly Line[] {
  const { name, isList, source, included, required } = container;
  const { depth } = writing;
  if (!included) return required ? [todo(depth, `${name}: required; no column matches any of its fields`)] : [];
  const deeper = source !== undefined || isList ? 2 : 1;
  const inner = containerLines(container, { ...writing, depth: depth + deeper });
  if (inner.every(({ text }) => text === "")) {
    const title = todo(depth, `${name}: ${required ? "required; " : ""}no matching column`);
    return [title, ...inner.map((line) => ({ ...line, depth: line.depth - deeper + 1 }))];
  }
  const head = { depth, text: `${yamlText(name)}:`, comment: required ? "required" : undefined };
  if (source === undefined) return [head, ...(isList ? asItem(inner) : inner)];
  const each = { depth: depth + 1, text: `each: ${yamlText(source.source.name)}` };
  return [head, each, { depth: depth + 1, text: "item:" }, ...inner];
}

/** Renders lines as a list item. The first field follows the dash, and comments before it move below. */
function asItem(lines: readonly Line[]): readonly Line[] {
  const head = lines.find(({ text }) => text !== "");
  if (head === undefined) return lines;
  const others = lines.filter((line) => line !== head);
  return [{ ...head, depth: head.depth - 1, text: `- ${head.text}` }, ...others];
}

function unusedLines(guessed: GuessedMapping): readonly Line[] {
  const { tree } = guessed;
  const used = usedColumns(guessed);
  const lines = withDescendants(tree.root).flatMap((node) => {
    const { source, key } = node;
    const on = joinColumn(node);
    const unused = source.columns.filter((column) => !used.has(column) && column !== on && column !== key);
    return unused.length === 0 ? [] : [commentLine(0, `${source.name}: ${unused.map(({ name }) => name).join(", ")}`)];
  });
  return lines.length === 0 ? [] : [BLANK, commentLine(0, "Unused columns:"), ...lines];
}

function usedColumns(guessed: GuessedMapping): ReadonlySet<ColumnProfile> {
  return new Set(guessedSlots(guessed).flatMap(({ guess }) => guess?.column ?? []));
}

/** Returns every field of the payload, every required request parameter, and every required field of a step. */
export function guessedSlots({ payload, parameters, steps }: GuessedMapping): readonly Slot[] {
  return [payload, parameters, steps].flatMap((fields) => (fields === undefined ? [] : allSlots(fields)));
}

/** Whether the mapping is invalid until the user sets a required request parameter. */
export function lacksParameters({ parameters }: GuessedMapping): boolean {
  const slots = parameters === undefined ? [] : allSlots(parameters);
  return slots.some(({ guess, constant }) => (guess ?? constant) === undefined);
}

/** Returns every field of the payload, including the fields that are filled from child rows. */
function allSlots({ fields }: Container): readonly Slot[] {
  const below = fields.flatMap((field) => (field.kind === "container" ? allSlots(field) : []));
  return [...fields.filter((field) => field.kind === "slot"), ...below];
}

/** Returns the included required objects that contain no filled field and no required field. */
export function emptyObjects({ fields }: Container): readonly Container[] {
  return fields.flatMap((field) => {
    if (field.kind === "slot" || !field.included) return [];
    const inner = allSlots(field).filter(({ container }) => container.included);
    const isEmpty = inner.every(({ guess, required }) => guess === undefined && !required);
    return field.required && isEmpty ? [field] : emptyObjects(field);
  });
}
