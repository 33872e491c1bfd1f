import { assets, AssetStore } from './asset-store';

const PAGES = ['sign-in', 'sign-up', 'link', 'recover', 'delivery-log', 'follow'];
const importsOf = (source: string) =>
  [...source.matchAll(/(?:from|import) ?['"]([^'"]+)['"]/g)].map((match) => match[1]!);

describe('the assets', () => {
  it('hold every module that a page loads, whatever imports it, and nothing is imported by a bare name', () => {
    const seen = new Set<string>();
    const open = PAGES.map((page) => `browser/${page}.js`);
    for (let name = open.pop(); name; name = open.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const asset = assets().get(name);
      expect([name, asset?.type]).toEqual([name, 'text/javascript; charset=utf-8']);
      for (const specifier of importsOf(asset!.content.toString())) {
        expect(specifier).toMatch(/^\.{1,2}\//);
        open.push(new URL(specifier, `http://x/${name}`).pathname.slice(1));
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['jose/jwe/compact/decrypt.js', 'uqr/index.mjs']));
  });

  it('hold no code of the server, no test and no configuration', () => {
    for (const name of ['asset-store.js', 'asset-store.ts', 'browser/tsconfig.json', 'browser/keys.spec.ts']) {
      expect(assets().get(name)).toBeUndefined();
    }
  });

  it('have an address that is the same on every instance of a version', () => {
    expect(new AssetStore().url('console.css')).toBe(assets().url('console.css'));
    expect(() => assets().url('nothing.css')).toThrow('nothing.css');
  });
});
