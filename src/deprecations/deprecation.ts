import { SetMetadata } from '@nestjs/common';

/** Why and until when a route is on its way out. */
export interface Deprecation {
  /** Stable, kebab case; names it in `/me` and in the docs. */
  id: string;
  message: string;
  /** Unix ms */
  deprecatedAt: number;
  /** Unix ms from which the route answers 410; null: not decided yet */
  sunsetAt: number | null;
  /** Path of what to use instead, from the host root. */
  replacement: string | null;
  /** Path of the page that explains it, from the host root. */
  docPath: string;
}

const DEPRECATION = 'deprecations:route';

/** The one place where a route is deprecated: headers, `/me`, OpenAPI and the 410 all come from here. */
export const Deprecated = (deprecation: Deprecation) => SetMetadata(DEPRECATION, deprecation);

export function deprecationOf(handler: object): Deprecation | undefined {
  return Reflect.getMetadata(DEPRECATION, handler) as Deprecation | undefined;
}
