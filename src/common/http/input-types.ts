import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/internal';

type Constructor = new () => object;

export interface InputTypes {
  body?: Constructor;
  query?: Constructor;
}

/** The DTO classes of a handler's `@Body()` and `@Query()`. */
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
