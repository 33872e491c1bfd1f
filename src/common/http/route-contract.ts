import { SetMetadata } from '@nestjs/common';
import { getBodyLimits, type BodyLimits } from './body-limits';
import { getInputTypes, type RouteInputTypes } from './input-types';
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
