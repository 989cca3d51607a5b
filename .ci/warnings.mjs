/** The warnings of Node.js among what a program has said on stderr. */
export function warningsIn(stderr) {
  return stderr.split("\n").filter((line) => /^\(node:\d+\)|Warning: /.test(line));
}
