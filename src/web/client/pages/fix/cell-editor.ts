import type { Column, Editor } from "slickgrid";
import type { FixRow } from "../../../fix/fix-types.ts";
import type { Draft } from "./drafts.ts";
import { restoreLineEndings } from "./line-endings.ts";
import { columnIndex } from "./slick-grid.ts";

export interface EditorState {
  /** The character that the user typed to start a new value. */
  typed: string | undefined;
  /** The draft of the open editor, or of the editor that was closed last. */
  draft: Draft | undefined;
  readonly areValuesShown: boolean;
  readonly startDraft: () => Draft;
}

interface EditorOptions {
  readonly container: HTMLElement;
  readonly column: Column;
  readonly item: unknown;
}

export type EditorClass = new (options: EditorOptions) => Editor;

/** Returns the class of an editor for one cell: a text field, or a text area for a value with line breaks. */
export function cellEditor(state: EditorState): EditorClass {
  return class {
    private readonly field: HTMLInputElement | HTMLTextAreaElement;
    private readonly column: number;
    private before = "";
    /** The saved value as the field represents it. */
    private shown = "";

    constructor({ container, column, item }: EditorOptions) {
      const { name } = column;
      state.draft = state.startDraft();
      const index = columnIndex(column) ?? -1;
      this.column = index;
      const value = valueIn(item, index);
      this.field = document.createElement(/[\r\n]/.test(value) ? "textarea" : "input");
      this.field.setAttribute("aria-label", `New value for ${typeof name === "string" ? name : ""}`);
      this.field.autocomplete = "off";
      this.field.spellcheck = false;
      this.field.addEventListener("keydown", keepKeys);
      container.append(this.field);
      this.field.focus();
    }

    init(): void {}

    loadValue(item: FixRow): void {
      this.before = state.areValuesShown ? valueIn(item, this.column) : "";
      this.field.value = this.before;
      this.shown = this.field.value;
      if (state.typed !== undefined) this.field.value = state.typed;
      else this.field.select();
    }

    serializeValue(): string {
      return restoreLineEndings(this.field.value, this.before);
    }

    isValueChanged(): boolean {
      return this.field.value !== this.shown;
    }

    applyValue(): void {}

    validate(): { readonly valid: boolean; readonly msg: string } {
      return { valid: true, msg: "" };
    }

    focus(): void {
      this.field.focus();
    }

    destroy(): void {
      const { draft } = state;
      // The grid closes the editor before it reports the new value, and the edit still needs the draft.
      queueMicrotask(() => draft?.end());
      this.field.remove();
    }
  };
}

function valueIn(item: unknown, column: number): string {
  const cells: unknown = typeof item === "object" && item !== null && "cells" in item ? item.cells : undefined;
  const value: unknown = Array.isArray(cells) ? cells[column] : undefined;
  return typeof value === "string" ? value : "";
}

/** Keeps cursor keys, shortcuts and Shift+Enter in the field. The grid would otherwise handle them. */
function keepKeys(event: Event): void {
  if (!(event instanceof KeyboardEvent)) return;
  const isInField = ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key) || event.ctrlKey || event.metaKey;
  const isLineEnd = event.key === "Enter" && event.shiftKey && event.target instanceof HTMLTextAreaElement;
  if (isInField || isLineEnd) event.stopPropagation();
}
