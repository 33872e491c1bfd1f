import { join } from 'node:path';
import { AssetStore } from '../../../common/html';

/** Creates the store of the console's stylesheets and browser modules. */
export function createConsoleAssetStore(): AssetStore {
  return new AssetStore({
    path: '/console/assets',
    folder: __dirname,
    mainStylesheet: 'console.css',
    browserFolder: join('clients', 'console', 'src'),
  });
}

let store: AssetStore | undefined;

/** Returns the store of the process, created on first use. */
export function getAssetStore(): AssetStore {
  return (store ??= createConsoleAssetStore());
}
