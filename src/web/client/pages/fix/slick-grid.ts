import { type Column, SlickGrid } from "slickgrid";
import type { FixRow } from "../../../fix/fix-types.ts";

/** Returns the index of a column of the source; undefined for the first column of the grid, which names the row. */
export function columnIndex({ id }: Column): number | undefined {
  const [, index] = /^c(\d+)$/.exec(String(id)) ?? [];
  return index === undefined ? undefined : Number(index);
}

/**
 * Adapts SlickGrid to a strict content security policy and to assistive technology. Inserts CSS rules into the style
 * sheet of the page instead of a `style` element. The active cell has the focus, and the element with the role `grid`
 * contains only cells.
 */
export class AccessibleGrid extends SlickGrid<FixRow> {
  /** Whether the focus moves to the active cell when the active cell changes. */
  private takesFocus = false;
  private keepsEditor = false;

  protected override createCssRules(): void {
    const rowHeight = this.getOptions().rowHeight ?? 0;
    addRules([
      `.${this.uid} .slick-header-column { left: 1000px; }`,
      `.${this.uid} .slick-cell { height: ${rowHeight - this.cellHeightDiff}px; }`,
      `.${this.uid} .slick-row { height: ${rowHeight}px; }`,
      ...this.columns.flatMap((_column, index) => [`.${this.uid} .l${index} {}`, `.${this.uid} .r${index} {}`]),
    ]);
  }

  protected override removeCssRules(): void {
    const sheet = pageSheet();
    const selectors = [...sheet.cssRules].map((rule) => (rule instanceof CSSStyleRule ? rule.selectorText : ""));
    for (const [index, selector] of [...selectors.entries()].toReversed())
      if (selector.startsWith(`.${this.uid} `)) sheet.deleteRule(index);
    COLUMN_RULES.delete(this.uid);
  }

  protected override getColumnCssRules(index: number): { left: CSSStyleRule; right: CSSStyleRule } {
    const known = COLUMN_RULES.get(this.uid) ?? columnRules(this.uid);
    COLUMN_RULES.set(this.uid, known);
    const [left, right] = [known.get(`l${index}`), known.get(`r${index}`)];
    if (left === undefined || right === undefined) throw new Error("the style sheet has no rules for a column");
    return { left, right };
  }

  protected override setFocus(): void {
    if (this.takesFocus) this.getActiveCellNode()?.focus({ preventScroll: true });
  }

  /** Updates the number of rows. An open cell editor stays open. */
  override updateRowCount(): void {
    this.keepsEditor = true;
    super.updateRowCount();
    this.keepsEditor = false;
  }

  protected override makeActiveCellNormal(refocusActiveCell?: boolean): void {
    if (!this.keepsEditor) super.makeActiveCellNormal(refocusActiveCell);
  }

  isEditing(): boolean {
    return Boolean(this.getCellEditor());
  }

  /**
   * Moves the rows and headers into an element with the role `grid`. SlickGrid's own focus elements stay outside, and
   * are hidden from assistive technology.
   */
  arrange(label: string): void {
    const container = this.getContainerNode();
    const table = document.createElement("div");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", label);
    table.setAttribute("aria-colcount", String(this.columns.length));
    for (const child of container.querySelectorAll("[tabindex]:not(.slick-cell)")) child.removeAttribute("tabindex");
    table.append(...container.querySelectorAll(":scope > .slick-pane"));
    container.removeAttribute("role");
    for (const sink of container.querySelectorAll(":scope > div")) sink.setAttribute("aria-hidden", "true");
    container.append(table);
    this.takesFocus = true;
  }
}

/**
 * The rules that position the columns of each grid. The constructor of SlickGrid needs these rules before the fields of
 * a subclass are initialised.
 */
const COLUMN_RULES = new Map<string, ReadonlyMap<string, CSSStyleRule>>();

function columnRules(uid: string): ReadonlyMap<string, CSSStyleRule> {
  const found = new Map<string, CSSStyleRule>();
  for (const rule of pageSheet().cssRules) {
    const [, own, column] = (rule instanceof CSSStyleRule && /^\.(\S+) \.([lr]\d+)$/.exec(rule.selectorText)) || [];
    if (rule instanceof CSSStyleRule && own === uid && column !== undefined) found.set(column, rule);
  }
  return found;
}

function addRules(rules: readonly string[]): void {
  const sheet = pageSheet();
  for (const rule of rules) sheet.insertRule(rule, sheet.cssRules.length);
}

function pageSheet(): CSSStyleSheet {
  const sheet = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]")?.sheet;
  if (!sheet) throw new Error("the page has no style sheet");
  return sheet;
}
