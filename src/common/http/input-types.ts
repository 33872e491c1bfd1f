import type { ExecutionContext } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/internal';

type Constructor = new () => object;

export interface InputTypes {
  body?: Constructor;
  query?: Constructor;
}

const cache = new WeakMap<object, InputTypes>();

/** The DTO classes of a handler's `@Body()` and `@Query()`. */
export function inputTypes(context: ExecutionContext): InputTypes {
  const handler = context.getHandler();
  let types = cache.get(handler);
  if (!types) {
    types = inputTypesOf(context.getClass(), handler.name);
    cache.set(handler, types);
  }
  return types;
}

/** The same, by the class and the handler's name. */
export function inputTypesOf(controller: { prototype: unknown }, method: string): InputTypes {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { index: number }
  >;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, method) ??
    []) as Constructor[];
  const typeOf = (kind: RouteParamtypes) => {
    const key = Object.keys(args).find((name) => name.startsWith(`${kind}:`));
    return key ? types[args[key]!.index] : undefined;
  };
  return { body: typeOf(RouteParamtypes.BODY), query: typeOf(RouteParamtypes.QUERY) };
}
