import { COVERAGE_CLASSES, type Coverage, type CoverageClass } from "../rules/coverage.ts";
import { plainText } from "../report/plain-text.ts";

/** What rules cover of the published codes; with `verbose`, the codes of each class. */
export function coverageText({ published, byClass, rules, skipped, missing }: Coverage, verbose: boolean): string {
  const lines = [`${published.length} published codes, ${rules} rules`];
  for (const name of COVERAGE_CLASSES) {
    const codes = byClass[name];
    if (codes.length === 0) continue;
    lines.push(`${String(codes.length).padStart(5)}  ${CLASS_WORDS[name]}`);
    if (verbose) lines.push(...codes.map((code) => `         ${plainText(code)}`));
  }
  if (skipped > 0) {
    lines.push(`${String(skipped).padStart(5)}  rules are skipped, because the configuration does not declare`);
    lines.push(...missing.map((name) => `         ${plainText(name)}`));
  }
  return `${lines.join("\n")}\n`;
}

const CLASS_WORDS: Readonly<Record<CoverageClass, string>> = {
  checked: "checked here",
  partial: "checked here in part",
  setting: "checked once a setting is declared",
  reference: "need a reference list",
  platform: "only the platform can judge",
  unclear: "their text cannot be carried out",
  "not-in-schema": "read fields that the document does not have",
  open: "no rule is written",
};
