import type { Operation, Step } from "../../../contract/operations/operation.ts";
import { closedObject, parametersType } from "../../../contract/operations/request-parameters.ts";
import { stepFieldsType } from "../../../contract/operations/step-fields.ts";
import type { ObjectType, Property } from "../../../contract/types/field-type.ts";
import { setConstants } from "./constants.ts";
import { type Container, containersIn, payloadTree } from "./region.ts";

interface RequestOptions {
  readonly operation: Operation;
  readonly supplier: string | undefined;
}

/** Returns the required request parameters in a container of this name; undefined if there are none. */
export function parametersTree({ operation, supplier }: RequestOptions): Container | undefined {
  const type = parametersType(operation);
  const tree = type && payloadTree(type, operation.id, undefined);
  const [parameters] = tree?.fields ?? [];
  if (tree === undefined || parameters?.kind !== "container" || !parameters.required) return undefined;
  parameters.fields.splice(0, Infinity, ...parameters.fields.filter(({ required }) => required));
  parameters.included = true;
  setConstants(tree, operation, supplier);
  return tree;
}

/** Returns the required fields that a mapping must add to the bodies of steps; undefined if there are none. */
export function stepsTree({ operation, supplier }: RequestOptions): Container | undefined {
  const steps = operation.steps.flatMap((step) => {
    const fields = fieldsToAdd(step);
    return fields.length === 0 ? [] : [property(step.name, closedObject(fields))];
  });
  if (steps.length === 0) return undefined;
  const tree = payloadTree(closedObject([property("steps", closedObject(steps))]), operation.id, undefined);
  for (const container of containersIn(tree)) container.included = container.required;
  setConstants(tree, operation, supplier);
  return tree;
}

/** Returns the required fields of a step's body that the contract does not set. */
function fieldsToAdd(step: Step): readonly Property[] {
  const { body = {}, operation } = step;
  const fields = [...(stepFieldsType(step)?.properties.values() ?? [])];
  return fields.filter(
    ({ name, required, readOnly }) => required && !readOnly && name !== operation.wrap && !Object.hasOwn(body, name),
  );
}

function property(name: string, type: ObjectType): Property {
  return { name, required: true, readOnly: false, type };
}
