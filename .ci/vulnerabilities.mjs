// Fails on any known vulnerability in a bundled package, and on high or critical vulnerabilities in a tool.
//
//   npm audit --json | node .ci/vulnerabilities.mjs
//
// If the registry does not answer, prints a message and exits with 0.
import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";

const notices = readFileSync(path.join(import.meta.dirname, "../dist/NOTICES.md"), "utf8");
const bundled = new Set([...notices.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name));

const { vulnerabilities, message = "no message" } = parse(await text(process.stdin));
if (vulnerabilities === undefined)
  console.log(`unanswered: the list of known vulnerabilities is unavailable (${message})`);
else report(Object.values(vulnerabilities));

function parse(said) {
  try {
    return JSON.parse(said);
  } catch {
    return {};
  }
}

function report(found) {
  const refused = found.filter(({ name, severity }) => bundled.has(name) || ["high", "critical"].includes(severity));
  for (const { name, severity, via } of found) {
    const titles = via.map((one) => (typeof one === "string" ? `by ${one}` : `${one.title} ${one.url}`));
    console.log(`${name}${bundled.has(name) ? ", in the bundle" : ""}: ${severity}: ${titles.join("; ")}`);
  }
  console.log(`answered: ${found.length} packages with known vulnerabilities, ${refused.length} refused`);
  process.exitCode = refused.length === 0 ? 0 : 1;
}
