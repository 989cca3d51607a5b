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
export function tokenise(text: string): readonly Token[] {
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
