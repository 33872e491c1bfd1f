import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';

/** Declares a raw text in the query of a page. It is validated as a form, if at all. */
export const QueryText = (maxLength = 100): PropertyDecorator =>
  applyDecorators(IsString(), MaxLength(maxLength), IsOptional());
