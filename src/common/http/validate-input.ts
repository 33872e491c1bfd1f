import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import type { RequestFault } from '../errors';
import { isInherited, jsonPointer, unknownName } from './unknown-name';

type Place = 'body' | 'query';
type Constructor = new () => object;

/** class-validator's constraint names → the fault codes of this API. */
const FAULT_CODES: Record<string, string> = {
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
  isString: 'invalid_type',
  isInt: 'invalid_type',
  isArray: 'invalid_type',
  isObject: 'invalid_type',
  nestedValidation: 'invalid_type',
};

/** Every fault of `input` against its DTO class, and the instance; no class means that nothing may be given. */
export async function validateInput(
  place: Place,
  type: Constructor | undefined,
  input: unknown,
): Promise<{ value: unknown; faults: RequestFault[] }> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { value: input, faults: [wrongRoot(place)] };
  }
  const given = input as Record<string, unknown>;
  const names = Object.keys(given);
  const unknown = names.filter((name) => !type || isInherited(name));
  const faultsOfNames = unknown.map((name) => unknownName(place, jsonPointer('', name)));
  if (!type) return { value: given, faults: faultsOfNames };
  if (place === 'query') faultsOfNames.push(...names.flatMap((name) => parameterFaults(name, given[name])));

  const value = plainToInstance(type, given, { exposeUnsetFields: false });
  const errors = await validate(value, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
  });
  const named = new Set(faultsOfNames.map(({ path }) => path));
  const faults = errors.flatMap((error) => toFaults(place, '', error));
  return { value, faults: [...faultsOfNames, ...faults.filter(({ path }) => !named.has(path))] };
}

function toFaults(place: Place, parent: string, error: ValidationError): RequestFault[] {
  const path = jsonPointer(parent, error.property);
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) =>
    name === 'whitelistValidation' ? unknownName(place, path) : toFault(place, path, error, name, message),
  );
  return [...own, ...(error.children ?? []).flatMap((child) => toFaults(place, path, child))];
}

function toFault(
  place: Place,
  path: string,
  error: ValidationError,
  constraint: string,
  message: string,
): RequestFault {
  if (error.value === undefined) return { in: place, path, code: 'required', message: `${path} is required.` };
  const code = FAULT_CODES[constraint] ?? 'invalid_format';
  return { in: place, path, code, message: `${message.replace(/^(each value in )?\S+ /, `$1${path} `)}.` };
}

/** What no parameter may be, whatever its DTO says: given twice, or with a NUL, which PostgreSQL's text cannot hold. */
function parameterFaults(name: string, value: unknown): RequestFault[] {
  if (isInherited(name)) return [];
  const path = jsonPointer('', name);
  if (Array.isArray(value)) {
    return [{ in: 'query', path, code: 'repeated_parameter', message: `${path} is given more than once.` }];
  }
  return typeof value === 'string' && value.includes('\0')
    ? [{ in: 'query', path, code: 'invalid_format', message: `${path} must not hold a NUL.` }]
    : [];
}

function wrongRoot(place: Place): RequestFault {
  return { in: place, path: '', code: 'invalid_type', message: 'The body must be a JSON object.' };
}
