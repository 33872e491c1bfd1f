import { SetMetadata } from '@nestjs/common';
import { RouteFact } from '../../common/http';

/** Deprecation of a route: the reason, the dates and the replacement. */
export interface Deprecation {
  /** Stable name in kebab case, used in `/me` and as an anchor of the guide's page. */
  id: string;
  message: string;
  /** Unix ms */
  deprecatedAt: number;
  /** Unix ms from which the route returns 410. Null if it is not decided yet. */
  sunsetAt: number | null;
  /** Path of the replacement, from the host root. */
  replacement: string | null;
}

const DEPRECATION_KEY = 'deprecations:route';

/** Deprecates a route. The headers, `/me`, OpenAPI and the 410 response are derived from this decorator. */
export const Deprecated = (deprecation: Deprecation) => SetMetadata(DEPRECATION_KEY, deprecation);

export function getDeprecation(handler: object): Deprecation | undefined {
  return Reflect.getMetadata(DEPRECATION_KEY, handler) as Deprecation | undefined;
}

export const routeDeprecation = new RouteFact(({ handler }) => getDeprecation(handler));

/** Returns the path of the section of the guide that explains the deprecation, from the host root. */
export const buildDeprecationDocPath = ({ id }: Pick<Deprecation, 'id'>) => `/docs/deprecations#${id}`;
