import type { INestApplication } from '@nestjs/common';
import { RouteTable } from '../common/http';
import { openApiDocument } from '../openapi';
import { devicePermissionsDocument } from './device-permissions';
import { routePolicyDocument } from './route-policy';

/** Every committed document that is made from the code: path in the repository → text. */
export function generatedDocuments(app: INestApplication): Record<string, string> {
  const routes = app.get(RouteTable, { strict: false }).all();
  return {
    'docs/route-policy.md': routePolicyDocument(routes),
    'docs/device-permissions.md': devicePermissionsDocument(),
    'openapi.json': `${JSON.stringify(openApiDocument(app, routes), null, 2)}\n`,
  };
}
