/** A text and the name under which the user knows it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** 1-based. */
export interface TextPoint {
  readonly line: number;
  readonly column: number;
}

/**
 * The line, and a mark below the column. Only of what is called YAML: a file of customers that is taken for a mapping by
 * mistake is not shown. `hideValues`: what follows a name is left out, because somebody may have put a password there.
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
