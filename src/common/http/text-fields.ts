import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches, ValidateBy } from 'class-validator';
import { isVisibleText } from '../visible-text';

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
