import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import type { RequestViolation } from '../errors';
import { getNestedField, type DtoClass } from './nested-fields';
import { appendJsonPointer, unknownNameViolation } from './unknown-name';

export type RequestPart = 'body' | 'query';
type JsonMembers = Record<string, unknown>;

const declaredNamesByClass = new Map<DtoClass, ReadonlySet<string>>();

/** Returns the names of the properties that have a validation rule. */
function getDeclaredNames(type: DtoClass): ReadonlySet<string> {
  let names = declaredNamesByClass.get(type);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    names = new Set(rules.map(({ propertyName }) => propertyName));
    declaredNamesByClass.set(type, names);
  }
  return names;
}

/**
 * Builds an instance of a DTO class from the members that the class declares. Does not check the validation rules. A
 * null member counts as absent, also in what a device answers, which `readJsonBody` hasn't read.
 * Passes only simple values to class-transformer, which takes quadratic time in the number of an object's members,
 * whether or not a rule allows them.
 * @param parent JSON pointer of `input`
 * @param violations receives unknown names, and values that are not the declared object or list
 */
export function toDtoInstance(
  type: DtoClass,
  input: JsonMembers,
  part: RequestPart,
  parent: string,
  violations: RequestViolation[],
): object {
  const simpleValues: JsonMembers = {};
  const nestedValues: JsonMembers = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === null) continue;
    const path = appendJsonPointer(parent, name);
    const field = getNestedField(type, name);
    if (!getDeclaredNames(type).has(name)) violations.push(unknownNameViolation(part, path));
    else if (field?.maxItems === null)
      nestedValues[name] = buildNestedObject(field.type, value, part, path, violations);
    else if (field) nestedValues[name] = buildNestedList(field.type, field.maxItems, value, part, path, violations);
    else (typeof value === 'object' ? nestedValues : simpleValues)[name] = value;
  }
  return Object.assign(plainToInstance(type, simpleValues, { exposeUnsetFields: false }), nestedValues);
}

function buildNestedObject(
  type: DtoClass,
  value: unknown,
  part: RequestPart,
  path: string,
  violations: RequestViolation[],
): object | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return toDtoInstance(type, value as JsonMembers, part, path, violations);
  }
  violations.push({ in: part, path, code: 'invalid_type', message: `${path} must be an object.` });
  return undefined;
}

/** Drops elements beyond `maxItems + 1`: one excess element suffices for the length rule to reject the list. */
function buildNestedList(
  type: DtoClass,
  maxItems: number,
  value: unknown,
  part: RequestPart,
  path: string,
  violations: RequestViolation[],
): unknown[] | undefined {
  if (!Array.isArray(value)) {
    violations.push({ in: part, path, code: 'invalid_type', message: `${path} must be an array.` });
    return undefined;
  }
  return value
    .slice(0, maxItems + 1)
    .map((element, i) => buildNestedObject(type, element, part, appendJsonPointer(path, String(i)), violations));
}
