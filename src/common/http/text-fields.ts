import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches, ValidateBy } from 'class-validator';
import { isVisibleText } from '../visible-text';

/** Declares a display text: 1 to `maxLength` characters, not blank, without control characters. */
export function Label(maxLength: number): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, minLength: 1, maxLength }),
    IsString(),
    Length(1, maxLength),
    Matches(/^(?=[^]*\S)\P{Cc}*$/u, { message: '$property must not be blank or contain control characters' }),
  );
}

/** Declares a label by which users recognize a resource. It must not contain invisible characters. */
export function DisplayName(maxLength: number): PropertyDecorator {
  return applyDecorators(
    Label(maxLength),
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
