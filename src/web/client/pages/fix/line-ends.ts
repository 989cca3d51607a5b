/**
 * Converts the line ends of edited text to those of the saved value, because a text area converts every line end to
 * `\n`. If the saved value has different line ends, only text that is otherwise unchanged gets them.
 */
export function restoreLineEnds(text: string, saved: string): string {
  if (text === normalised(saved)) return saved;
  const [end = "\n", ...others] = new Set(saved.match(LINE_END));
  return others.length > 0 ? text : normalised(text).replaceAll("\n", end);
}

const LINE_END = /\r\n|\r|\n/g;

function normalised(text: string): string {
  return text.replace(LINE_END, "\n");
}
