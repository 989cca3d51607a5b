import type { RequestForm, StepSequence } from "../../contract/operations/operation.ts";
import { parametersType } from "../../contract/operations/request-parameters.ts";
import { stepFieldsType } from "../../contract/operations/step-fields.ts";
import { type FieldType, memberType } from "../../contract/types/field-type.ts";
import { acceptedOptions, typesLeadingTo } from "../../contract/types/type-tree.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../../json/json-value.ts";
import type { MappedValues } from "../../model/record.ts";
import { utcDateTime } from "../../time/calendar.ts";
import { getOrAdd } from "../../model/groups.ts";

/**
 * Compiles a function that converts a mapped record to its sent form: date-times in the form of API specification 2.7.4
 * (`utcDateTime`), except in fields with `x-sent-as-given`. The ledger compares the content of records in this form, so
 * that a record whose request body has not changed counts as unchanged. Compiles each operation only once.
 */
export function compileSentForm(operation: RequestForm & StepSequence): ToSentForm {
  return getOrAdd(compiled, operation, () => compileOperation(operation));
}

export type ToSentForm = (mapped: MappedValues) => MappedValues;

const compiled = new WeakMap<RequestForm & StepSequence, ToSentForm>();

function compileOperation(operation: RequestForm & StepSequence): ToSentForm {
  const ofPayload = compileSentObject(operation.body);
  const ofSteps = new Map(operation.steps.map((step) => [step.name, compileSentObject(stepFieldsType(step))]));
  const ofParameters = compileSentObject(parametersType(operation)?.properties.get("parameters")?.type);
  return ({ payload, steps, parameters }) => ({
    payload: ofPayload(payload),
    parameters: parameters && ofParameters(parameters),
    steps: steps && new Map([...steps].map(([name, fields]) => [name, ofSteps.get(name)?.(fields) ?? fields])),
  });
}

function compileSentObject(type: FieldType | undefined): (payload: JsonObject) => JsonObject {
  const toSent = type && compileSentValue(type);
  if (toSent === undefined) return (payload) => payload;
  return (payload) => {
    const sent = toSent(payload);
    return isJsonObject(sent) ? sent : payload;
  };
}

/**
 * Returns a function that converts any value of a type to its sent form, or undefined if all values are sent unchanged.
 */
export function compileSentValue(type: FieldType): ((value: JsonValue) => JsonValue) | undefined {
  const leading = typesLeadingTo(type, ({ kind }) => kind === "datetime");
  return leading.has(type) ? (value) => sentValue([type], value, leading) : undefined;
}

/**
 * Converts a value to its sent form. `types`: the possible types of the value. A string is converted only if none of
 * these types is text, a choice, a type that accepts any value, or a date-time with `x-sent-as-given`.
 */
function sentValue(types: readonly FieldType[], value: JsonValue, leading: ReadonlySet<FieldType>): JsonValue {
  const options = types.flatMap((type) => optionsFor(type, value));
  if (!options.some((option) => leading.has(option))) return value;
  if (typeof value === "string") return options.every(isNonTextOrUtcDateTime) ? utcDateTime(value) : value;
  if (isJsonArray(value)) {
    const items = options.flatMap((option) => (option.kind === "list" ? [option.items] : []));
    return value.map((item) => sentValue(items, item, leading));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, sentValue(fieldTypes(options, name), member, leading)]),
  );
}

/**
 * Returns the option of a union that the discriminator selects. If the discriminator selects no option, returns all
 * possible options.
 */
function optionsFor(type: FieldType, value: JsonValue): readonly FieldType[] {
  if (type.kind !== "union") return [type];
  const { discriminator } = type;
  const tag = discriminator && memberAt(value, discriminator.property);
  const chosen = typeof tag === "object" ? undefined : discriminator?.mapping.get(String(tag));
  return (chosen === undefined ? acceptedOptions(type) : [chosen]).flatMap((option) => optionsFor(option, value));
}

function fieldTypes(options: readonly FieldType[], name: string): readonly FieldType[] {
  return options.flatMap((option) => (option.kind === "object" ? (memberType(option, name) ?? []) : []));
}

function isNonTextOrUtcDateTime(type: FieldType): boolean {
  if (type.kind === "datetime") return type.asGiven !== true;
  return type.kind !== "text" && type.kind !== "choice" && type.kind !== "any";
}
