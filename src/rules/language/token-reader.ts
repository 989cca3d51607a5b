import { ExpressionSyntaxError, tokenise, type Token } from "./expression-tokens.ts";

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
