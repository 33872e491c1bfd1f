import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches, ValidateBy } from 'class-validator';
import { isVisibleText } from '../visible-text';

const NO_FIELDS: ReadonlySet<string> = new Set();
const NUL_FIELDS_KEY = 'http:nul-fields';

/** Allows U+0000 in a text of a body's root: one that its reader gets as JSON, never in a column or an argument. */
export function AllowNul(): PropertyDecorator {
  return ({ constructor: type }, name) => {
    Reflect.defineMetadata(NUL_FIELDS_KEY, new Set([...getNulFields(type), String(name)]), type);
  };
}

/** Returns the names of the fields with {@link AllowNul}. */
export function getNulFields(type: object | undefined): ReadonlySet<string> {
  return (type && (Reflect.getMetadata(NUL_FIELDS_KEY, type) as ReadonlySet<string> | undefined)) ?? NO_FIELDS;
}

/**
 * Declares a display text: 1 to `maxLength` characters, not blank, without control characters.
 * @param example required in bodies of documented routes whose `@Operation` has no `examples.request`
 */
export function Label(maxLength: number, example?: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, minLength: 1, maxLength, ...(example !== undefined && { example }) }),
    IsString(),
    Length(1, maxLength),
    Matches(/^(?=[^]*\S)\P{Cc}*$/u, { message: '$property must not be blank or contain control characters' }),
  );
}

/** Declares a label by which users recognize a resource. It must not contain invisible characters. */
export function DisplayName(maxLength: number, example?: string): PropertyDecorator {
  return applyDecorators(
    Label(maxLength, example),
    ValidateBy({
      name: 'isVisible',
      validator: {
        // Another rule rejects values that aren't strings.
        validate: (value: unknown) => typeof value !== 'string' || isVisibleText(value),
        defaultMessage: () => '$property must not be blank or contain invisible characters',
      },
    }),
  );
}
