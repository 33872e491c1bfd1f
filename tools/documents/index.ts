import type { INestApplication } from '@nestjs/common';
import { RouteRegistry } from '../../src/common/http';
import { buildDevicePermissionsDocument } from './device-permissions-document';
import { fillGuideTables } from './guide-tables';
import { buildOpenApiDocument, DEVICE_API_DOCUMENT, EXTERNAL_API_DOCUMENT } from './openapi';
import { buildRoutePolicyDocument } from './route-policy-document';

/** Builds the text of every generated document, by path in the repository. */
export function buildGeneratedDocuments(app: INestApplication): Record<string, string> {
  const routes = app.get(RouteRegistry, { strict: false }).listRoutes();
  return {
    'docs/route-policy.md': buildRoutePolicyDocument(routes),
    'docs/device-permissions.md': buildDevicePermissionsDocument(),
    ...fillGuideTables(),
    'openapi.json': formatJson(buildOpenApiDocument(app, routes, EXTERNAL_API_DOCUMENT)),
    'docs/protocol/device-openapi.json': formatJson(buildOpenApiDocument(app, routes, DEVICE_API_DOCUMENT)),
  };
}

function formatJson(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
