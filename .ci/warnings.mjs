/** Returns the Node.js warnings in a program's stderr. */
export function warningsIn(stderr) {
  return stderr.split("\n").filter((line) => /^\(node:\d+\)|Warning: /.test(line));
}
