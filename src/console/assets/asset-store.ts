import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';

/** A file that pages load, read once. */
export interface Asset {
  type: string;
  content: Buffer;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.mjs': 'text/javascript; charset=utf-8',
};

/** Libraries that browsers load as the modules that they ship, by the name that is imported. */
const LIBRARIES: Record<string, { folder: string; entry?: string }> = {
  jose: { folder: join(dirname(require.resolve('jose/package.json')), 'dist', 'webapi') },
  // Resolved for this process it would be its CommonJS twin.
  uqr: { folder: dirname(require.resolve('uqr')), entry: 'index.mjs' },
};

/**
 * Everything that the console's pages load, served by the service itself. The address of a file begins with a digest
 * over all of them, so that it may be kept for ever, and a module's relative imports lead to its own version.
 */
export class AssetStore {
  private readonly assets = new Map<string, Asset>();
  readonly version: string;

  constructor() {
    this.addFolder('', __dirname);
    this.addFolder('browser/', join(__dirname, '..', 'browser'));
    for (const [name, { folder }] of Object.entries(LIBRARIES)) this.addFolder(`${name}/`, folder);
    const digest = createHash('sha256');
    for (const [name, { content }] of this.assets) digest.update(`${name}\0`).update(content);
    this.version = digest.digest('base64url').slice(0, 12);
  }

  get(name: string): Asset | undefined {
    return this.assets.get(name);
  }

  /** Where pages find the file. */
  url(name: string): string {
    if (!this.assets.has(name)) throw new Error(`There is no asset ${name}.`);
    return `/console/assets/${this.version}/${name}`;
  }

  private addFolder(prefix: string, folder: string): void {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names) {
      const type = TYPES[extname(name)];
      if (!type || isOfTheServer(prefix, name)) continue;
      const content = readFileSync(join(folder, name));
      this.assets.set(prefix + name, { type, content: prefix === 'browser/' ? linked(content) : content });
    }
  }
}

/** The build puts this module's own code beside the stylesheet. */
function isOfTheServer(prefix: string, name: string): boolean {
  return prefix === '' && /^\.m?js$/.test(extname(name));
}

/** Browsers know no bare names: `from 'jose/jws/compact/sign'` becomes `from '../jose/jws/compact/sign.js'`. */
function linked(source: Buffer): Buffer {
  const text = source.toString('utf8').replace(/(?<=from ')[a-z][^']*(?=')/g, (bare) => {
    const [name] = bare.split('/') as [string];
    const library = LIBRARIES[name];
    if (!library) throw new Error(`Browsers cannot load ${bare}.`);
    return `../${name}/${library.entry ?? relative(library.folder, require.resolve(bare))}`;
  });
  return Buffer.from(text);
}

let store: AssetStore | undefined;

/** The one store of the process, read when it is first asked for. */
export function assets(): AssetStore {
  return (store ??= new AssetStore());
}
