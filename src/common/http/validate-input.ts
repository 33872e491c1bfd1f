import { validate, type ValidationError } from 'class-validator';
import type { Request } from 'express';
import type { RequestViolation } from '../errors';
import { toDtoInstance, type RequestPart } from './dto-instance';
import type { DtoClass } from './nested-fields';
import { findTextMapViolations, getTextMapRules } from './text-map';
import { findMisencodedParameters, findTextViolation } from './text-violations';
import { appendJsonPointer, unknownNameViolation } from './unknown-name';

/** Maps constraint names of class-validator to violation codes of this API. */
const VIOLATION_CODES: Record<string, string> = {
  isDefined: 'required',
  min: 'out_of_range',
  max: 'out_of_range',
  isLength: 'out_of_range',
  minLength: 'out_of_range',
  maxLength: 'out_of_range',
  arrayMinSize: 'out_of_range',
  arrayMaxSize: 'out_of_range',
  arrayUnique: 'not_unique',
  isIn: 'not_allowed',
  matches: 'invalid_format',
  isVisible: 'invalid_format',
  isString: 'invalid_type',
  isInt: 'invalid_type',
  isArray: 'invalid_type',
  isObject: 'invalid_type',
  nestedValidation: 'invalid_type',
};

/** Input after validation. */
interface ValidatedInput {
  value: unknown;
  violations: RequestViolation[];
}

/** Validates the query of a request by {@link validateInput}, and its encoding. */
export function validateQuery(
  type: DtoClass | undefined,
  { query, url }: Pick<Request, 'query' | 'url'>,
): Promise<ValidatedInput> {
  return validateInput('query', type, query, findMisencodedParameters(url));
}

/**
 * Returns the DTO instance and all violations of its rules. Without a DTO class, members aren't allowed.
 * @param textViolations violations that were found in the text of the request
 */
export async function validateInput(
  part: RequestPart,
  type: DtoClass | undefined,
  input: unknown,
  textViolations: RequestViolation[] = [],
): Promise<ValidatedInput> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { value: input, violations: [wrongRootViolation(part)] };
  }
  const members = input as Record<string, unknown>;
  if (!type) {
    return {
      value: members,
      violations: selectFirstPerPath([
        ...textViolations,
        ...Object.keys(members).map((name) => unknownNameViolation(part, appendJsonPointer('', name))),
      ]),
    };
  }
  const mapRules = getTextMapRules(type);
  if (mapRules) {
    const violations = [...textViolations, ...findTextMapViolations(members, mapRules)];
    return { value: members, violations: selectFirstPerPath(violations) };
  }
  const nameViolations =
    part === 'query' ? Object.keys(members).flatMap((name) => findParameterViolations(name, members[name])) : [];
  const value = toDtoInstance(type, members, part, '', nameViolations);
  const errors = await validate(value, { forbidUnknownValues: true, stopAtFirstError: true });
  const ruleViolations = errors.flatMap((error) => toViolations(part, '', error));
  return { value, violations: selectFirstPerPath([...textViolations, ...nameViolations, ...ruleViolations]) };
}

/** Returns the first violation per path: violations of name and type precede violations of the value. */
function selectFirstPerPath(violations: RequestViolation[]): RequestViolation[] {
  const byPath = new Map<string, RequestViolation>();
  for (const violation of violations) if (!byPath.has(violation.path)) byPath.set(violation.path, violation);
  return [...byPath.values()];
}

function toViolations(part: RequestPart, parent: string, error: ValidationError): RequestViolation[] {
  const path = appendJsonPointer(parent, error.property);
  const ownViolations = Object.entries(error.constraints ?? {}).map(([name, message]) =>
    toViolation(part, path, error, name, message),
  );
  return [...ownViolations, ...(error.children ?? []).flatMap((child) => toViolations(part, path, child))];
}

function toViolation(
  part: RequestPart,
  path: string,
  error: ValidationError,
  constraint: string,
  message: string,
): RequestViolation {
  if (error.value === undefined) return { in: part, path, code: 'required', message: `${path} is required.` };
  const code = VIOLATION_CODES[constraint] ?? 'invalid_format';
  return { in: part, path, code, message: `${message.replace(/^(each value in )?\S+ /, `$1${path} `)}.` };
}

/** Rejects repeated parameters and U+0000, regardless of the DTO. */
function findParameterViolations(name: string, value: unknown): RequestViolation[] {
  const path = appendJsonPointer('', name);
  if (Array.isArray(value)) {
    return [{ in: 'query', path, code: 'repeated_parameter', message: `${path} is given more than once.` }];
  }
  const violation = typeof value === 'string' ? findTextViolation('query', path, value) : null;
  return violation ? [violation] : [];
}

function wrongRootViolation(part: RequestPart): RequestViolation {
  return { in: part, path: '', code: 'invalid_type', message: 'The body must be a JSON object.' };
}
