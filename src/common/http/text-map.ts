import { registerDecorator } from 'class-validator';
import type { RequestViolation } from '../errors';
import { appendJsonPointer } from './unknown-name';

/** Rules of an object whose names the caller chooses, and whose values are texts of the same form. */
export interface TextMapRules {
  maxMembers: number;
  /** Form of names and values. */
  pattern: RegExp;
  /** The form in words, such as `1 to 64 visible ASCII characters`. */
  form: string;
}

const TEXT_MAP_KEY = 'http:text-map';

/** Declares a body that is such an object as a whole, with at least one member. */
export function TextMap(rules: TextMapRules): ClassDecorator {
  return (type) => Reflect.defineMetadata(TEXT_MAP_KEY, rules, type);
}

export function getTextMapRules(type: object): TextMapRules | undefined {
  return Reflect.getMetadata(TEXT_MAP_KEY, type) as TextMapRules | undefined;
}

/** Validates a field that is such an object, with at least one member. */
export function IsTextMap(rules: TextMapRules): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isTextMap',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) =>
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          findTextMapViolations(value as Record<string, unknown>, rules).length === 0,
        defaultMessage: () =>
          `$property must be an object of 1 to ${rules.maxMembers} members, whose names and values have ${rules.form}`,
      },
    });
}

/** Returns the violations of a body, by member. */
export function findTextMapViolations(
  members: Record<string, unknown>,
  { maxMembers, pattern, form }: TextMapRules,
): RequestViolation[] {
  const entries = Object.entries(members);
  if (entries.length === 0 || entries.length > maxMembers)
    return [createViolation('', 'out_of_range', `The body must have 1 to ${maxMembers} members.`)];
  return entries.flatMap(([name, value]) => {
    const path = appendJsonPointer('', name);
    if (!pattern.test(name)) return [createViolation(path, 'invalid_format', `The name must have ${form}.`)];
    if (typeof value !== 'string') return [createViolation(path, 'invalid_type', `${path} must be a string.`)];
    return pattern.test(value) ? [] : [createViolation(path, 'invalid_format', `${path} must have ${form}.`)];
  });
}

const createViolation = (path: string, code: string, message: string): RequestViolation => ({
  in: 'body',
  path,
  code,
  message,
});
