import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import { inputTypesOf, type InputTypes } from './input-types';
import { DEFAULT_BODY_LIMIT } from './read-json-body';

const BODY_LIMIT = 'http:body-limit';

/** A route that takes larger bodies than the default, in bytes. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

const MEDIA_TYPES = 'http:media-types';
const JSON_ALONE = ['application/json'];

/** A route whose answer exists as other media types beside application/json. */
export const AlsoProduces = (...types: string[]) => SetMetadata(MEDIA_TYPES, [...JSON_ALONE, ...types]);

const OWN_SHAPE = 'http:own-shape';

/** A route, or a controller's every route, that reads and checks its input by itself: other rules hold there. */
export const OwnShape = () => SetMetadata(OWN_SHAPE, true);

/** What a route takes and gives. */
export interface RouteShape {
  isOwn: boolean;
  /** Media types of its answer. */
  produces: string[];
  /** Bytes. */
  bodyLimit: number;
  input: InputTypes;
}

const known = new WeakMap<object, RouteShape>();

/** Of a handler, put together from its decorators once. */
export function shapeOf(context: ExecutionContext): RouteShape {
  const handler = context.getHandler();
  let shape = known.get(handler);
  if (!shape) {
    shape = readShape(handler, context.getClass());
    known.set(handler, shape);
  }
  return shape;
}

function readShape(handler: ReturnType<ExecutionContext['getHandler']>, type: { prototype: unknown }): RouteShape {
  const said = <T>(key: string, of: object) => Reflect.getMetadata(key, of) as T | undefined;
  return {
    isOwn: said<boolean>(OWN_SHAPE, handler) ?? said<boolean>(OWN_SHAPE, type) ?? false,
    produces: said<string[]>(MEDIA_TYPES, handler) ?? JSON_ALONE,
    bodyLimit: said<number>(BODY_LIMIT, handler) ?? DEFAULT_BODY_LIMIT,
    input: inputTypesOf(type, handler.name),
  };
}
