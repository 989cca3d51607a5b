export type ValueKind =
  | "integer"
  | "number"
  | "commaNumber"
  | "groupedNumber"
  | "email"
  | "phone"
  | "postcode"
  | "uuid"
  | "words"
  | "street";

/** What a value looks like, regardless of its column's name. A value may be of several kinds. */
export const VALUE_KINDS: Readonly<Record<ValueKind, (text: string) => boolean>> = {
  integer: (text: string) => /^[-+]?\d{1,18}$/.test(text),
  number: (text: string) => /^[-+]?\d{1,15}(?:\.\d+)?$/.test(text),
  commaNumber: (text: string) => /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d{1,15}),\d+$/.test(text),
  groupedNumber: (text: string) => /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text),
  email: (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
  phone: (text: string) => /^(?:\+|0[1-9]|\(0)[\d ()/-]{7,18}$/.test(text) && digitsIn(text) >= 9,
  postcode: (text: string) => /^[A-Za-z]{1,2}\d[A-Za-z\d]? ?\d[A-Za-z]{2}$/.test(text),
  uuid: (text: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  words: (text: string) => /^\p{L}[\p{L}'’.-]*(?: [\p{L}\d&,'’./()-]+)*$/u.test(text),
  street: (text: string) => /^(?:\d+[A-Za-z]?|Flat \S+|Unit \S+|Apt \S+),? [\p{L}]/iu.test(text),
};

export const KIND_NAMES: readonly ValueKind[] = [
  "integer",
  "number",
  "commaNumber",
  "groupedNumber",
  "email",
  "phone",
  "postcode",
  "uuid",
  "words",
  "street",
];

function digitsIn(text: string): number {
  return text.replaceAll(/\D/g, "").length;
}
