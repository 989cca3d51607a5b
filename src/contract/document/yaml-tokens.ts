import { CST, Lexer, type LineCounter, Parser } from "yaml";
import type { Failure } from "../../model/failure.ts";
import { formatCount } from "../../text/count.ts";

/** Creates the failure for an error at this offset in the document. */
export type Refuse = (message: string, offset: number, hint?: string) => Failure;

/**
 * Returns the tokens of a document.
 * @throws the failure of `refuse` for too many characters, too many names and values, or too many levels
 */
export function readTokens(text: string, lines: LineCounter, refuse: Refuse): readonly CST.Token[] {
  if (text.length > MAX_CHARACTERS) {
    throw refuse(`longer than ${formatCount(MAX_CHARACTERS)} characters`, 0, "remove parts that are not needed");
  }
  const tokens = [...tokensOf(text, lines, refuse)];
  const tooDeep = tokens.map(offsetOfDepth).find((offset) => offset !== undefined);
  if (tooDeep !== undefined) throw refuse(`nested more than ${MAX_DEPTH} levels deep`, tooDeep);
  return tokens;
}

/** Operators' contracts have about 1,000,000 characters. Reading takes about 80 bytes of memory per character. */
const MAX_CHARACTERS = 16 * 2 ** 20;

/** Operators' contracts have about 30,000 nodes. All nodes stay in memory until the document has been read. */
const MAX_NODES = 500_000;

function* tokensOf(text: string, lines: LineCounter, refuse: Refuse): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  let [offset, nodes] = [0, 0];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (NODE_TOKENS.has(CST.tokenType(lexeme) ?? "")) nodes += 1;
    if (nodes > MAX_NODES) {
      throw refuse(`more than ${formatCount(MAX_NODES)} names and values`, offset, "remove parts that are not needed");
    }
    if (!MARKS.has(lexeme)) offset += lexeme.length;
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

const NODE_TOKENS: ReadonlySet<string> = new Set([
  "alias",
  "scalar",
  "single-quoted-scalar",
  "double-quoted-scalar",
  "block-scalar-header",
  "flow-map-start",
  "flow-seq-start",
]);

/** Marks that the lexer inserts. They do not occur in the text, so they do not change the offset. */
const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** Real contracts have about 30 levels. The limit is far below the recursion limit of the YAML composer. */
const MAX_DEPTH = 200;

/**
 * Returns the offset of a token that exceeds the depth limit, or undefined if there is none. Iterative, because the
 * depth must be checked before any recursion.
 */
function offsetOfDepth(token: CST.Token): number | undefined {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = next.depth + 1;
    if (depth > MAX_DEPTH && "offset" in next.token) return next.token.offset;
    for (const child of childrenOf(next.token)) open.push({ token: child, depth });
  }
  return undefined;
}

function childrenOf(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value]).filter((child) => child !== undefined && child !== null);
}
