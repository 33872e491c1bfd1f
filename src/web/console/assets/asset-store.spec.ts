import { getAssetStore, AssetStore } from './asset-store';

const PAGES = [
  'sign-in',
  'sign-up',
  'link',
  'recover',
  'approve',
  'delivery-log',
  'live-updates',
  'console',
  'submit-once',
  'pairing-code',
];
/** A statement of a minified module. */
const IMPORT_OR_EXPORT = /(?:^|[;}\n])(?:import|export)[\s{*"']/;

describe('the assets', () => {
  it.each(PAGES)('hold the module %s in one file, so that any release can serve it to a page of another', (page) => {
    const asset = getAssetStore().getAsset(`browser/${page}.js`);
    expect(asset?.type).toBe('text/javascript; charset=utf-8');
    expect(IMPORT_OR_EXPORT.test(asset!.content.toString())).toBe(false);
  });

  it('hold no code of the server, no test and no configuration', () => {
    for (const name of [
      'asset-store.js',
      'asset-store.ts',
      'browser/tsconfig.json',
      'browser/lib/keys.spec.ts',
      'browser/sign-in.ts',
    ]) {
      expect(getAssetStore().getAsset(name)).toBeUndefined();
    }
  });

  it('have an address that is the same on every instance of a version', () => {
    expect(new AssetStore().getUrl('console.css')).toBe(getAssetStore().getUrl('console.css'));
    expect(() => getAssetStore().getUrl('nothing.css')).toThrow('nothing.css');
  });
});
