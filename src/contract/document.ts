import { Composer, LineCounter, Parser, type CST, type Document } from "yaml";
import type { AttrPath } from "../model/attr.ts";
import { Failure, type FailureCode } from "../model/failure.ts";
import type { JsonValue } from "../model/json.ts";
import { jsonOf, offsetOf, type YamlTree } from "./yaml-value.ts";

/** A text and the name under which the user knows it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** A YAML or JSON document as plain data that remembers its lines. */
export interface SourceDocument {
  readonly file: string;
  /** A tree without shared or circular parts: aliases are copied out. */
  readonly value: JsonValue;
  /** 1-based line of the key (or list item) at that path; of its nearest ancestor when there is none. */
  readonly lineOf: (path: AttrPath) => number;
}

/**
 * Reads YAML 1.2 or JSON: one document, core schema only, names unique.
 *
 * Names are text as written (`null:`, `true:`, `404:` and `00123:` are names). A whole number with leading zeros stays
 * text, because an account number must not lose them. What cannot be kept as written ends in a Failure of the given code
 * (`contract_invalid`) with its line: syntax errors, names twice, `__proto__`, digits that would be lost, unknown tags,
 * aliases that refer to themselves or multiply, deep nesting.
 */
export function parseDocument(source: SourceText, code: FailureCode = "contract_invalid"): SourceDocument {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const refuse = (message: string, offset: number, hint?: string): Failure =>
    new Failure(code, `${source.file}:${lineAt(offset)}: ${message}`, {
      place: { file: source.file, line: lineAt(offset) },
      ...(hint === undefined ? {} : { hint }),
    });
  const tokens = [...new Parser(lines.addNewLine).parse(source.text)];
  const tooDeep = tokens.map(offsetOfDepth).find((offset) => offset !== undefined);
  if (tooDeep !== undefined) throw refuse(`nested more than ${DEEPEST} levels deep`, tooDeep);

  const document = compose(tokens, source.text.length);
  const fault = document?.errors[0] ?? document?.warnings[0];
  if (fault !== undefined) throw refuse(wordsOf(fault.message), fault.pos[0], "mend the YAML or JSON syntax there");

  const tree: YamlTree = { root: document?.contents ?? null, targets: new Map(), refuse };
  return { file: source.file, value: jsonOf(tree), lineOf: (path) => lineAt(offsetOf(tree, path)) };
}

/** Far above any real contract (about 30), far below what the YAML composer's recursion can bear. */
const DEEPEST = 200;

function compose(tokens: readonly CST.Token[], length: number): Document.Parsed | undefined {
  const composer = new Composer({ version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false });
  const [first, second] = [...composer.compose(tokens, true, length)];
  if (second !== undefined && first !== undefined && first.errors.length === 0)
    first.errors.push(severalDocuments(second));
  return first;
}

function severalDocuments(second: Document.Parsed): Document.Parsed["errors"][number] {
  const [start, end] = second.range;
  return {
    name: "YAMLParseError",
    code: "MULTIPLE_DOCS",
    message: "A second document starts here; give one document a file",
    pos: [start, end],
  };
}

function wordsOf(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** The first token nested deeper than allowed. Iterative: the point is to find it before anything recurses. */
function offsetOfDepth(token: CST.Token): number | undefined {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = next.depth + 1;
    if (depth > DEEPEST && "offset" in next.token) return next.token.offset;
    for (const child of childrenOf(next.token)) open.push({ token: child, depth });
  }
  return undefined;
}

function childrenOf(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value]).filter((child) => child !== undefined && child !== null);
}
