/** A command as a POSIX shell wants it: words that mean more than themselves are quoted. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
