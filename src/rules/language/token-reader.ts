/** Reads the tokens of an expression in order. */
export interface TokenReader {
  readonly text: string;
  readonly peek: (ahead?: number) => Token;
  readonly next: () => Token;
  /** Consumes the next token and returns true if it is this word or sign; otherwise returns false. */
  readonly take: (word: string) => boolean;
  readonly expect: (word: string) => void;
}

const END: Token = { kind: "end", text: "", offset: 0 };

export function readerOf(text: string): TokenReader {
  const tokens = tokenise(text);
  let position = 0;
  const peek = (ahead = 0): Token => tokens[Math.min(position + ahead, tokens.length - 1)] ?? END;
  const next = (): Token => {
    const token = peek();
    position += 1;
    return token;
  };
  const take = (word: string): boolean => {
    const { kind, text: found } = peek();
    if (found !== word || (kind !== "name" && kind !== "sign" && kind !== "function")) return false;
    position += 1;
    return true;
  };
  const expect = (word: string): void => {
    if (!take(word)) throw new ExpressionSyntaxError(`expected "${word}" ${describePosition(peek())}`, peek().offset);
  };
  return { text, peek, next, take, expect };
}

function describePosition({ kind, text }: Token): string {
  return kind === "end" ? "at the end" : `before "${text}"`;
}

export function unexpected(token: Token): ExpressionSyntaxError {
  const what = token.kind === "end" ? "the expression is incomplete" : `unexpected "${token.text}"`;
  return new ExpressionSyntaxError(what, token.offset);
}

/** A word or sign in an expression, with its zero-based offset in the text. */
export interface Token {
  readonly kind: "name" | "function" | "named" | "text" | "number" | "sign" | "end";
  readonly text: string;
  readonly offset: number;
}

/** An error in an expression, with its zero-based offset. */
export class ExpressionSyntaxError extends Error {
  readonly offset: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "ExpressionSyntaxError";
    this.offset = at;
  }
}

/** Splits an expression into tokens. @throws ExpressionSyntaxError */
function tokenise(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < text.length) {
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    if (match === null) throw new ExpressionSyntaxError(describeUnknownCharacter(text, offset), offset);
    const token = tokenOf(match, offset);
    if (token !== undefined) tokens.push(token);
    offset = TOKEN.lastIndex;
  }
  return [...tokens, { kind: "end", text: "", offset }];
}

const TOKEN =
  /\s+|(?<text>"[^"]*"|'[^']*')|(?<number>\d+(?:\.\d+)?)|(?<function>[a-z]+(?:-[a-z]+)*)(?=\()|\$(?<named>\w+)|(?<name>[A-Za-z_]\w*)|(?<sign><=|>=|!=|=(?!=)|[-<>+*/()[\],.]|\{\})/y;

const KINDS = ["text", "number", "function", "named", "name", "sign"] as const;

function tokenOf({ groups = {} }: RegExpExecArray, offset: number): Token | undefined {
  for (const kind of KINDS) {
    const text = groups[kind];
    if (text !== undefined) return { kind, text: kind === "text" ? text.slice(1, -1) : text, offset };
  }
  return undefined;
}

function describeUnknownCharacter(text: string, at: number): string {
  const character = text.charAt(at);
  if (character === '"' || character === "'") return "a closing quotation mark is missing";
  if (text.startsWith("==", at)) return 'write "=" for "is equal to"';
  if (character === "!") return 'write "not", or "!=" between two values';
  if (character === "&" || character === "|") return 'write "and" or "or"';
  return `unexpected character "${character}"`;
}
