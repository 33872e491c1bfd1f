import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { BASE_STYLESHEET } from '../../../common/html';
import { PROJECT_ROOT } from '../../../common/project-root';

/** Static file of the pages, read once. */
export interface ConsoleAsset {
  type: string;
  content: Buffer;
}

const ASSET_CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `npm run build` bundles the browser modules there (tools/build-browser.mjs). */
const BROWSER_MODULES_FOLDER = join(PROJECT_ROOT, 'dist', 'src', 'web', 'console', 'browser');

/**
 * Static files of the console's pages. Every URL contains a digest over all files, so responses can be cached forever
 * and a module's relative imports load the same version.
 */
export class AssetStore {
  private readonly assets = new Map<string, ConsoleAsset>();
  readonly version: string;

  constructor() {
    this.addFolder('', __dirname);
    this.addFolder('browser/', BROWSER_MODULES_FOLDER);
    const digest = createHash('sha256');
    for (const [name, { content }] of this.assets) digest.update(`${name}\0`).update(content);
    this.version = digest.digest('base64url').slice(0, 12);
  }

  getAsset(name: string): ConsoleAsset | undefined {
    return this.assets.get(name);
  }

  /** Returns the URL of an asset. */
  getUrl(name: string): string {
    if (!this.assets.has(name)) throw new Error(`Unknown asset ${name}.`);
    return `/console/assets/${this.version}/${name}`;
  }

  private addFolder(prefix: string, folder: string): void {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      const type = ASSET_CONTENT_TYPES[extname(name)];
      if (!type || isServerFile(prefix, name)) continue;
      this.assets.set(prefix + name, { type, content: readAsset(folder, name) });
    }
  }
}

function readAsset(folder: string, name: string): Buffer {
  const content = readFileSync(join(folder, name));
  return extname(name) === '.css' ? Buffer.concat([Buffer.from(BASE_STYLESHEET), content]) : content;
}

/** The build writes this module's own code into the folder of the stylesheet. */
function isServerFile(prefix: string, name: string): boolean {
  return prefix === '' && /^\.m?js$/.test(extname(name));
}

let store: AssetStore | undefined;

/** Returns the store of the process, created on first use. */
export function getAssetStore(): AssetStore {
  return (store ??= new AssetStore());
}
