import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches } from 'class-validator';

/** A name that people read: 1 to `max` characters, not blank, without control characters. */
export function Label(max: number): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, minLength: 1, maxLength: max }),
    IsString(),
    Length(1, max),
    Matches(/^(?=[^]*\S)\P{Cc}*$/u, { message: '$property must not be blank or hold control characters' }),
  );
}
