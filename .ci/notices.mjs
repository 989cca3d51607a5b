// Collects the licence texts of the packages in the bundle.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Renders a page that lists each package with its version, its licence, and the text that the licence requires. */
export function noticesOf(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
  const packages = [...folders].map(describePackage).toSorted((one, other) => (one.title < other.title ? -1 : 1));
  const head = "# Notices\n\nThe program and the library contain code from these packages.\n";
  return [head, ...packages.map(({ title, text }) => `## ${title}\n\n\`\`\`\n${text}\n\`\`\`\n`)].join("\n");
}

function packageFolder(module) {
  const match = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module.replace(/^\0/, ""));
  return match?.[0];
}

function describePackage(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(path.join(folder, file), "utf8").trim());
  if (texts.length === 0) texts.push(`${license}, by ${author?.name ?? author ?? "its authors"}`);
  return { title: `${name} ${version} (${license})`, text: texts.join("\n\n").replaceAll("\r\n", "\n") };
}
