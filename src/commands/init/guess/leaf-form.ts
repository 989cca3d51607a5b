import type { ColumnProfile } from "../profile/column-profile.ts";

/** How the cells of a column are converted to values of a field. */
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
  /** Codes without a known choice that may be written to a file. */
  readonly unknown: readonly string[];
  /** Number of further codes that are too rare or too long to write to a file, because they could contain anything. */
  readonly withheld: number;
}

export interface ValueFit {
  /** 0 to 1: how well the cells work as values of the field. */
  readonly fit: number;
  /** 0 to 1: how strongly the cells suggest the field, regardless of the column's name. */
  readonly evidence: number;
  readonly form: LeafForm;
}

export const PLAIN: LeafForm = { kind: "plain" };

/** Returns the share of a column's sample that passes a test. */
export function sampleShare({ sample }: ColumnProfile, fits: (value: string) => boolean): number {
  return sample.length === 0 ? 0 : sample.filter(fits).length / sample.length;
}
