import { SetMetadata } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/internal';
import type { JsonLimits } from './json-limits';
import type { DtoClass } from './nested-fields';
import { RouteFact, type RouteTarget } from './route-fact';

const MEDIA_TYPES_KEY = 'http:media-types';
const JSON_ONLY = ['application/json'];

/** Sets the media types of a route's response, in place of application/json. */
export const Produces = (...types: string[]) => SetMetadata(MEDIA_TYPES_KEY, types);

/** Adds media types to a route's response, in addition to application/json. */
export const AlsoProduces = (...types: string[]) => Produces(...JSON_ONLY, ...types);

const SKIP_VALIDATION_KEY = 'http:skip-validation';

/** Excludes a route or a controller from request validation. Its handlers read and validate their own input. */
export const SkipValidation = () => SetMetadata(SKIP_VALIDATION_KEY, true);

/** Limits on the body of a route. */
export interface BodyLimits extends JsonLimits {
  /** Maximum size, both as received and decompressed. */
  bytes: number;
  allowsCompression: boolean;
}

export const DEFAULT_BODY_LIMITS: BodyLimits = {
  bytes: 1_048_576,
  depth: 64,
  entries: 10_000,
  allowsCompression: true,
};

/** Limits for routes without a credential, where no account can be charged for the cost of a body. */
export const PUBLIC_BODY_LIMITS: BodyLimits = {
  bytes: 16_384,
  depth: 64,
  entries: 200,
  allowsCompression: false,
};

const BODY_LIMITS_KEY = 'http:body-limits';

/** Overrides the maximum body size of a route. */
export const MaxBodyBytes = (bytes: number) => SetMetadata(BODY_LIMITS_KEY, { ...DEFAULT_BODY_LIMITS, bytes });

/** Applies {@link PUBLIC_BODY_LIMITS} to a route that requires no credential. */
export const PublicBodyLimits = () => SetMetadata(BODY_LIMITS_KEY, PUBLIC_BODY_LIMITS);

export interface RouteInputTypes {
  body?: DtoClass;
  query?: DtoClass;
}

/** Input and output of a route. */
export interface RouteContract {
  skipsValidation: boolean;
  /** Media types of the response. */
  produces: string[];
  bodyLimits: BodyLimits;
  inputTypes: RouteInputTypes;
}

export const routeContract = new RouteFact(readRouteContract);

function readRouteContract({ controller, handler }: RouteTarget): RouteContract {
  const readMetadata = <T>(key: string, target: object) => Reflect.getMetadata(key, target) as T | undefined;
  return {
    skipsValidation:
      readMetadata<boolean>(SKIP_VALIDATION_KEY, handler) ??
      readMetadata<boolean>(SKIP_VALIDATION_KEY, controller) ??
      false,
    produces: readMetadata<string[]>(MEDIA_TYPES_KEY, handler) ?? JSON_ONLY,
    bodyLimits: getBodyLimits(handler),
    inputTypes: getInputTypes(controller, handler.name),
  };
}

export function getBodyLimits(handler: object): BodyLimits {
  return (Reflect.getMetadata(BODY_LIMITS_KEY, handler) as BodyLimits | undefined) ?? DEFAULT_BODY_LIMITS;
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
