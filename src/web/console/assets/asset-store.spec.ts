import { gzipSync } from 'node:zlib';
import { createConsoleAssetStore, getAssetStore } from './asset-store';

const PAGES = [
  'sign-in',
  'sign-up',
  'link',
  'recover',
  'recovery-key',
  'approve',
  'delivery-log',
  'live-updates',
  'console',
  'submit-once',
  'pairing-code',
  'session',
  'sessions',
  'share-sessions',
  'consent',
  'artifacts',
  'artifact',
  'approvals',
  'machines',
  'machine',
  'home',
  'account',
  'push-worker',
  'go-to',
  'notices',
  'session-titles',
  'new-session',
  'markdown-lexer',
];
/** Statement of a minified module that needs another one. */
const IMPORT = /(?:^|[;}\n])(?:import[\s{*"']|export[^;]*\bfrom\b)/;

describe('the assets', () => {
  it.each(PAGES)('hold the module %s in one file, so that any release can serve it to a page of another', (page) => {
    const asset = getAssetStore().getAsset(`browser/${page}.js`);
    expect(asset?.type).toBe('text/javascript; charset=utf-8');
    expect(IMPORT.test(asset!.content.toString())).toBe(false);
  });

  it.each(PAGES)('hold at most 60 kB of compressed script for the module %s, and its source map', (page) => {
    const script = getAssetStore().getAsset(`browser/${page}.js`)!.content;
    expect(gzipSync(script).length).toBeLessThan(60_000);
    expect(script.toString()).toContain(`sourceMappingURL=${page}.js.map`);
    expect(getAssetStore().getAsset(`browser/${page}.js.map`)?.type).toBe('application/json; charset=utf-8');
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
    expect(createConsoleAssetStore().getUrl('console.css')).toBe(getAssetStore().getUrl('console.css'));
    expect(() => getAssetStore().getUrl('nothing.css')).toThrow('nothing.css');
  });
});
