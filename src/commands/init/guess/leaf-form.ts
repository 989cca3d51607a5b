import type { ColumnProfile } from "../profile/column-profile.ts";

/** How the cells of a column become values of a field. */
export type LeafForm =
  | { readonly kind: "plain" }
  | { readonly kind: "upper" }
  | { readonly kind: "date"; readonly pattern: string; readonly also: string | undefined }
  | {
      readonly kind: "datetime";
      readonly pattern: string;
      readonly hasOffset: boolean;
      readonly also: string | undefined;
    }
  | { readonly kind: "number"; readonly decimal: string; readonly group: string | undefined }
  | { readonly kind: "boolean"; readonly yes: readonly string[]; readonly no: readonly string[] }
  | LookupForm;

export interface LookupForm {
  readonly kind: "lookup";
  readonly table: ReadonlyMap<string, string>;
  /** Codes that may be written into a file, and mean none of the choices that can be told. */
  readonly unknown: readonly string[];
  /** How many codes more there are that are too rare, or too long, to be written down: they may be anything. */
  readonly withheld: number;
}

export interface ValueFit {
  /** From 0 to 1: how far the cells can be values of the field. */
  readonly fit: number;
  /** From 0 to 1: how much the cells say, whatever the column is called, that they are. */
  readonly evidence: number;
  readonly form: LeafForm;
}

export const PLAIN: LeafForm = { kind: "plain" };

/** The share of a column's sample that a test lets through. */
export function sampleShare({ sample }: ColumnProfile, fits: (value: string) => boolean): number {
  return sample.length === 0 ? 0 : sample.filter(fits).length / sample.length;
}
