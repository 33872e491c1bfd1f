import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/internal';

type DtoClass = new () => object;

export interface RouteInputTypes {
  body?: DtoClass;
  query?: DtoClass;
}

/** Returns the DTO classes of a handler's `@Body()` and `@Query()`. */
export function getInputTypes(controller: { prototype: unknown }, method: string): RouteInputTypes {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { index: number }
  >;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, method) ?? []) as DtoClass[];
  const findParameterType = (kind: RouteParamtypes) => {
    const key = Object.keys(args).find((name) => name.startsWith(`${kind}:`));
    return key ? types[args[key]!.index] : undefined;
  };
  return { body: findParameterType(RouteParamtypes.BODY), query: findParameterType(RouteParamtypes.QUERY) };
}
