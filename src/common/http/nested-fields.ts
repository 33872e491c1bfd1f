import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsDefined, ValidateNested } from 'class-validator';

export type DtoClass = new () => object;

/** Field whose objects have their own DTO class. */
export interface NestedField {
  type: DtoClass;
  /** Maximum length of a list, or null if the field is a single object. */
  maxItems: number | null;
}

const NESTED_FIELD_KEY = 'http:nested-field';

/** Declares a required object with the fields of `type`. */
export function NestedObject(type: DtoClass): PropertyDecorator {
  return applyDecorators(markNestedField({ type, maxItems: null }), ValidateNested(), IsDefined());
}

/** Declares a required list of `minItems`, by default 1, to `maxItems` objects with the fields of `type`. */
export function NestedList(type: DtoClass, maxItems: number, { minItems = 1 } = {}): PropertyDecorator {
  return applyDecorators(
    markNestedField({ type, maxItems }),
    ValidateNested({ each: true }),
    ArrayMaxSize(maxItems),
    ArrayMinSize(minItems),
  );
}

export function getNestedField(type: DtoClass, name: string): NestedField | undefined {
  return Reflect.getMetadata(NESTED_FIELD_KEY, type.prototype as object, name) as NestedField | undefined;
}

function markNestedField(field: NestedField): PropertyDecorator {
  return (target, name) => Reflect.defineMetadata(NESTED_FIELD_KEY, field, target, name);
}
