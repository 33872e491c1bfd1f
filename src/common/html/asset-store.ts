import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Response } from 'express';
import { notFoundError } from '../errors';
import { compressResponse } from '../http';
import { PROJECT_ROOT } from '../project-root';
import { BASE_STYLESHEET, THEME_SCRIPT } from './render-document';

/** Static file of the pages, read once. */
interface Asset {
  type: string;
  content: Buffer;
}

interface AssetStoreOptions {
  /** Path that the controller serves the assets at. */
  path: string;
  /** Folder with the stylesheets, which may also contain the module's own code. */
  folder: string;
  /** Stylesheet that `base.css` is served in front of. */
  mainStylesheet: string;
  /** Source folder of the browser modules, relative to the project. */
  browserFolder: string;
}

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  // Source maps of the browser modules.
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const YEAR_SECONDS = 31_536_000;

/**
 * Static files of pages: stylesheets, bundled browser modules (tools/build-browser.mjs), the icon and the script of the
 * theme. Every URL contains a digest over all files, so responses can be cached forever.
 */
export class AssetStore {
  private readonly assets = new Map<string, Asset>();
  readonly version: string;

  constructor(private readonly options: AssetStoreOptions) {
    this.addFolder('', options.folder);
    this.addFolder('browser/', join(PROJECT_ROOT, 'dist', options.browserFolder));
    this.assets.set('icon.svg', { type: CONTENT_TYPES['.svg']!, content: readFileSync(join(__dirname, 'icon.svg')) });
    this.assets.set('theme.js', { type: CONTENT_TYPES['.js']!, content: Buffer.from(THEME_SCRIPT) });
    const digest = createHash('sha256');
    for (const [name, { content }] of this.assets) digest.update(`${name}\0`).update(content);
    this.version = digest.digest('base64url').slice(0, 12);
  }

  getAsset(name: string): Asset | undefined {
    return this.assets.get(name);
  }

  /** Returns the URL of an asset. */
  getUrl(name: string): string {
    if (!this.assets.has(name)) throw new Error(`Unknown asset ${name}.`);
    return `${this.options.path}/${this.version}/${name}`;
  }

  /** @throws ApiError 404 for an unknown name */
  sendAsset(response: Response, version: string, name: string): void {
    const asset = this.assets.get(name);
    if (!asset) throw notFoundError('file');
    // During a rolling update, a page of one version may load assets from an instance of another.
    const cache = version === this.version ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
    compressResponse(response);
    response.set({ 'Content-Type': asset.type, 'Cache-Control': cache }).send(asset.content);
  }

  private addFolder(prefix: string, folder: string): void {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      const type = CONTENT_TYPES[extname(name)];
      if (!type || isServerFile(prefix, name)) continue;
      const content = readFileSync(join(folder, name));
      const isMainStylesheet = name === this.options.mainStylesheet;
      this.assets.set(prefix + name, {
        type,
        content: isMainStylesheet ? Buffer.concat([Buffer.from(BASE_STYLESHEET), content]) : content,
      });
    }
  }
}

/** The build writes a module's own code into the folder of its stylesheets. */
function isServerFile(prefix: string, name: string): boolean {
  return prefix === '' && /^\.(m?js|map)$/.test(extname(name));
}
