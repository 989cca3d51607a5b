/**
 * Returns the text of a description on one line, without HTML tags or invisible formatting characters. Decodes common
 * HTML entities.
 */
export function descriptionText(description: string | undefined): string | undefined {
  return description
    ?.replaceAll(/<\/?(?:a|b|code|em|i|span|strong)(?:\s[^<>]*)?>/gi, "")
    .replaceAll(/<\/?[a-z][^<>]*>/gi, " ")
    .replaceAll(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => HTML_ENTITIES.get(entity) ?? entity)
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const HTML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#39;", "'"],
  ["&nbsp;", " "],
  ["&amp;", "&"],
]);
