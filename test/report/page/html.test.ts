import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataElement, html } from "../../../src/report/page/html.ts";

describe("html", () => {
  it("escapes inserted text in elements and attributes, and leaves HTML fragments unchanged", () => {
    const piece = html`<b title="${'"><script>'}">${"<&'>"}</b>`;
    expect(html`<p>${piece}${undefined}${[html`<i></i>`, html`<u></u>`]}${3}</p>`.markup).toBe(
      '<p><b title="&quot;&gt;&lt;script&gt;">&lt;&amp;&#39;&gt;</b><i></i><u></u>3</p>',
    );
  });

  it("prevents text from opening an element or ending an attribute", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(html`${text}`.markup).not.toMatch(/[<>"'\p{Cc}]/u);
      }),
    );
  });
});

describe("dataElement", () => {
  it("holds any text unchanged, and is never closed by the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constant("</script><!--<script>")), (text) => {
        const { markup } = dataElement("data", { text });
        const json = markup.slice(markup.indexOf(">") + 1, markup.lastIndexOf("</script>"));
        expect(json).not.toContain("<");
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
