import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BASE_STYLESHEET } from '../../common/html';
import { PROJECT_ROOT } from '../../common/project-root';

/** Static file of the pages, read once. */
export interface DocsAsset {
  type: string;
  content: Buffer;
  etag: string;
}

const SWAGGER_UI_FOLDER = dirname(require.resolve('swagger-ui-dist/package.json'));
const DOCS_ASSETS_FOLDER = join(PROJECT_ROOT, 'docs', 'assets');

/** Loads the files that the docs pages use, so that they need no other host. */
export function loadDocsAssets(): Map<string, DocsAsset> {
  return new Map([
    ['docs.css', loadAsset(DOCS_ASSETS_FOLDER, 'docs.css', 'text/css', BASE_STYLESHEET)],
    ['reference.js', loadAsset(DOCS_ASSETS_FOLDER, 'reference.js', 'text/javascript')],
    ['swagger-ui.css', loadAsset(SWAGGER_UI_FOLDER, 'swagger-ui.css', 'text/css')],
    ['swagger-ui-bundle.js', loadAsset(SWAGGER_UI_FOLDER, 'swagger-ui-bundle.js', 'text/javascript')],
  ]);
}

/** @param prefix text that the file is served behind */
function loadAsset(folder: string, name: string, type: string, prefix = ''): DocsAsset {
  const content = Buffer.concat([Buffer.from(prefix), readFileSync(join(folder, name))]);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { type: `${type}; charset=utf-8`, content, etag };
}
