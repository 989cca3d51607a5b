/** Text and the name of its file, as shown to the user. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** A position in text. Lines and columns start at 1. */
export interface TextPoint {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the line with a mark below the column, or undefined for an empty or long line. Also returns undefined for a
 * file that is not YAML, so that customer data passed as a mapping by mistake is not shown. `hideValues` replaces each
 * value with `…`, because a value may be a password.
 */
export function excerptOf(
  { file, text }: SourceText,
  { line, column }: TextPoint,
  { hideValues }: { readonly hideValues: boolean },
): string | undefined {
  if (!/\.ya?ml$/i.test(file)) return undefined;
  const written = text.split("\n", line)[line - 1]?.trimEnd() ?? "";
  if (written === "" || written.length > MAX_EXCERPT || column > written.length + 1) return undefined;
  const [before, after] = [written.slice(0, column - 1), written.slice(column - 1)].map((part) =>
    hideValues ? part.replaceAll(VALUE, "$1…") : part,
  );
  const label = `${line} | `;
  return `${label}${before}${after}\n${" ".repeat(label.length - 2)}| ${" ".repeat(before?.length ?? 0)}^`;
}

const MAX_EXCERPT = 100;

const VALUE = /(:\s+["']?)[^\s"'{}[\],][^{}[\],]*/g;
