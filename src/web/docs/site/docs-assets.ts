import { join } from 'node:path';
import { AssetStore } from '../../../common/html';

let store: AssetStore | undefined;

/** Returns the store of the documentation's stylesheet and browser modules, created on first use. */
export function getDocsAssetStore(): AssetStore {
  return (store ??= new AssetStore({
    path: '/docs/assets',
    folder: join(__dirname, '..', 'assets'),
    mainStylesheet: 'docs.css',
    browserFolder: join('clients', 'docs', 'src'),
  }));
}
