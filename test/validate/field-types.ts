import type {
  BooleanType,
  ChoiceType,
  DateType,
  DecimalType,
  FieldType,
  ListType,
  NumberType,
  ObjectType,
  Property,
  TextType,
  UnionType,
} from "../../src/contract/types/field-type.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { compileValidator, type FoundProblem } from "../../src/validate/compile-validator.ts";

const BASE = { nullable: false, deprecated: false, validators: [] };

export function text(more: Partial<TextType> = {}): TextType {
  return { ...BASE, kind: "text", allowBlank: false, documentPath: false, ...more };
}

export function decimal(more: Partial<DecimalType> = {}): DecimalType {
  return { ...BASE, kind: "decimal", ...more };
}

export function number(more: Partial<NumberType> = {}): NumberType {
  return { ...BASE, kind: "number", ...more };
}

export function integer(more: Partial<NumberType> = {}): NumberType {
  return { ...BASE, kind: "integer", ...more };
}

export function boolean(more: Partial<BooleanType> = {}): BooleanType {
  return { ...BASE, kind: "boolean", ...more };
}

export function moment(kind: DateType["kind"], more: Partial<DateType> = {}): DateType {
  return { ...BASE, ...more, kind };
}

export function choice(choices: ChoiceType["choices"], more: Partial<ChoiceType> = {}): ChoiceType {
  return { ...BASE, kind: "choice", choices, ...more };
}

/** Properties whose names end in `!` are required. */
export function object(fields: Readonly<Record<string, FieldType>>, more: Partial<ObjectType> = {}): ObjectType {
  const properties = Object.entries(fields).map(([marked, type]): [string, Property] => {
    const name = marked.replace(/!$/, "");
    return [name, { name, required: name !== marked, readOnly: false, type }];
  });
  return { ...BASE, kind: "object", properties: new Map(properties), additional: "closed", ...more };
}

export function list(items: FieldType, more: Partial<ListType> = {}): ListType {
  return { ...BASE, kind: "list", items, uniqueItems: false, ...more };
}

export function union(options: readonly FieldType[], more: Partial<UnionType> = {}): UnionType {
  return { ...BASE, kind: "union", options, ...more };
}

export function any(): FieldType {
  return { ...BASE, kind: "any" };
}

/** Returns the problems of a payload whose only field `it` has this type and value. */
export function problemsOf(type: FieldType, it: JsonValue): readonly FoundProblem[] {
  return compileValidator(object({ it: type }), { keepValues: false })({ it });
}

/** Formats each problem as `attr code`, in order. A warning has the prefix `~`. */
export function attrsAndCodes(problems: readonly FoundProblem[]): readonly string[] {
  return problems.map(({ attr, code, severity }) => `${severity === "warning" ? "~" : ""}${attr} ${code}`);
}

/** Returns the codes of the problems of the only field `it`. A warning has the prefix `~`. */
export function codes(type: FieldType, it: JsonValue): readonly string[] {
  return problemsOf(type, it).map(({ code, severity }) => (severity === "warning" ? `~${code}` : code));
}
