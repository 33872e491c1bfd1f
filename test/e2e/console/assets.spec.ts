import { Service } from '../../support/service';

describe('the console’s assets', () => {
  let service: Service;
  let stylesheet: string;
  let script: string;

  beforeAll(async () => {
    service = await Service.start();
    const html = await (await fetch(`${service.url}/console/sign-in`)).text();
    stylesheet = /href="([^"]+\.css)"/.exec(html)![1]!;
    script = /src="([^"]+\.js)"/.exec(html)![1]!;
  });
  afterAll(() => service?.stop());

  it('can be cached forever under the URLs of the current pages', async () => {
    const response = await fetch(service.url + stylesheet);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).toContain('light-dark(');
  });

  it('are served to pages of another version, but not cached', async () => {
    for (const path of [stylesheet, script]) {
      const response = await fetch(service.url + path.replace(/assets\/[^/]+/, 'assets/anotherversn'));
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    }
  });

  it.each(['nothing.css', '..%2f..%2fpackage.json', 'browser/tsconfig.json', 'browser/%00', 'toString', ''])(
    'include no other file: %s',
    async (name) => {
      const response = await fetch(`${service.url}${stylesheet.replace('console.css', '')}${name}`);
      expect(response.status).toBe(404);
    },
  );
});
