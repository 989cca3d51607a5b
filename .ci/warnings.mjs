/** Returns the warnings of Node.js in a program's stderr. */
export function warningsIn(stderr) {
  return stderr.split("\n").filter((line) => /^\(node:\d+\)|Warning: /.test(line));
}
