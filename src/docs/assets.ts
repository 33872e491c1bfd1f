import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT_ROOT } from '../common/project-root';

/** A file that pages load, read once. */
export interface Asset {
  type: string;
  content: Buffer;
  etag: string;
}

const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'));
const OWN = join(PROJECT_ROOT, 'docs', 'assets');

/** Served from here, so that pages work without any other host. */
export function loadAssets(): Map<string, Asset> {
  return new Map([
    ['docs.css', asset(OWN, 'docs.css', 'text/css')],
    ['reference.js', asset(OWN, 'reference.js', 'text/javascript')],
    ['swagger-ui.css', asset(SWAGGER_UI, 'swagger-ui.css', 'text/css')],
    ['swagger-ui-bundle.js', asset(SWAGGER_UI, 'swagger-ui-bundle.js', 'text/javascript')],
  ]);
}

function asset(folder: string, name: string, type: string): Asset {
  const content = readFileSync(join(folder, name));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { type: `${type}; charset=utf-8`, content, etag };
}
