import type { BucketName } from '../../../src/access/rate-limiting';
import type { Route } from '../../../src/common/http';
import type { OpenApiObject, OpenApiServer } from '../../../src/web/openapi';

/** What distinguishes an OpenAPI document of the service from the others. */
export interface DocumentDefinition {
  /** Members before `paths`, without `tags`. */
  head: OpenApiObject;
  /** Descriptions of tags by name, in their order. The document contains the used ones. */
  tags: Readonly<Record<string, string>>;
  securitySchemes: OpenApiObject;
  /** Whether the document describes calls with the login cookie of a browser. */
  hasBrowserLogin: boolean;
  /** Whether the document describes the requests that webhooks cause. */
  hasWebhooks: boolean;
  /** Buckets that a 429 may name. */
  bucketNames: readonly BucketName[];
  includesRoute(route: Route): boolean;
  /** Returns the path in the document, with `servers` if its server is not that of the document. */
  resolvePath(path: string): { path: string; servers?: OpenApiServer[] };
}
