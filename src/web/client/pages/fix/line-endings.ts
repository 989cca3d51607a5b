/**
 * Converts the line endings of edited text to those of the saved value, because a text area converts every line ending
 * to `\n`. Mixed line endings are restored only if the text is otherwise unchanged.
 */
export function restoreLineEndings(text: string, saved: string): string {
  if (text === normalised(saved)) return saved;
  const [end = "\n", ...others] = new Set(saved.match(LINE_END));
  return others.length > 0 ? text : normalised(text).replaceAll("\n", end);
}

const LINE_END = /\r\n|\r|\n/g;

function normalised(text: string): string {
  return text.replace(LINE_END, "\n");
}
