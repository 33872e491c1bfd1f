import { Service } from '../../support/service';

describe('the console’s assets', () => {
  let service: Service;
  let stylesheet: string;

  beforeAll(async () => {
    service = await Service.start();
    const html = await (await fetch(`${service.url}/console/sign-in`)).text();
    stylesheet = /href="([^"]+\.css)"/.exec(html)![1]!;
  });
  afterAll(() => service?.stop());

  it('may be kept for ever under the address that pages give', async () => {
    const response = await fetch(service.url + stylesheet);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).toContain('prefers-color-scheme: dark');
  });

  it('are there for pages of another version, too, but not to be kept', async () => {
    const response = await fetch(service.url + stylesheet.replace(/assets\/[^/]+/, 'assets/anotherversn'));
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  });

  it.each(['nothing.css', '..%2f..%2fpackage.json', 'browser/tsconfig.json', 'browser/%00', 'toString', ''])(
    'are no other files: %s',
    async (name) => {
      const response = await fetch(`${service.url}${stylesheet.replace('console.css', '')}${name}`);
      expect(response.status).toBe(404);
    },
  );
});
