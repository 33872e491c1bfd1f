import { databaseImage } from '../../../support/database';
import { AccountDevice, ok } from '../../../support/device/foreign-device';
import { faultsOf } from '../../../support/faults';
import { faultPaths } from '../../../support/problems';
import { Service } from '../../../support/service';

const APPS = '/v1/developer/apps';
const CALLBACK = 'https://app.example/callback';

describe("an app's fields", () => {
  let service: Service;
  let ada: AccountDevice;
  let clientId: string;
  const create = (extra: object) =>
    service.http.post(APPS, ada.token, { name: 'Notes', redirectUris: [CALLBACK], ...extra });
  const patch = (json: object) => service.http.request('PATCH', `${APPS}/${clientId}`, { token: ada.token, json });

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    clientId = ok(await create({}), 201).data.clientId;
  });

  const faults: [string, unknown[]][] = [
    ['name', ['', ' ', 'x'.repeat(101), 'a\nb', 'a\u202eb', 'a\u2066b', 1, [], {}]],
    ['description', ['x'.repeat(1_001), 'a\0b', 1, []]],
    [
      'homepageUrl',
      [
        'x',
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///x',
        'ftp://a.example',
        'https://',
        'https://u@a.example',
        'https://a.example/ b',
        'https://a.example\\b',
        `https://a.example/${'x'.repeat(2_000)}`,
        1,
      ],
    ],
    [
      'redirectUris',
      [
        [],
        Array.from({ length: 11 }, (_, i) => `${CALLBACK}${i}`),
        [CALLBACK, CALLBACK],
        CALLBACK,
        [1],
        [[CALLBACK]],
        [null],
        {},
        ['javascript:alert(1)'],
        ['data:text/html,x'],
        ['file:///x'],
        ['http://app.example'],
        ['/callback'],
        [''],
        [`${CALLBACK}#x`],
        ['https://u:p@app.example/'],
        ['https://*.app.example/'],
        ['https://app.example/*'],
        [CALLBACK, 'com.example:/cb'],
        ['http://127.0.0.2/cb'],
      ],
    ],
  ];
  const cases = faults.flatMap(([field, values]) => values.map((value): [string, unknown] => [field, value]));

  it.each(cases)('%s must not be %j, neither at first nor later', async (field, value) => {
    const image = await databaseImage(service);
    for (const answer of [await create({ [field]: value }), await patch({ [field]: value })]) {
      expect(faultPaths(answer)).toEqual([expect.stringMatching(new RegExp(`^/${field}`))]);
    }
    expect(await databaseImage(service)).toEqual(image);
  });

  it('are named all at once when they are wrong', async () => {
    const answer = await create({ name: '', redirectUris: [], description: 1, secret: 'x' });
    expect(faultsOf(answer)).toEqual([
      ['body', '/description', 'invalid_type'],
      ['body', '/name', 'out_of_range'],
      ['body', '/redirectUris', 'out_of_range'],
      ['body', '/secret', 'unknown_field'],
    ]);
  });

  it('that are needed are asked for', async () => {
    const answer = await service.http.post(APPS, ada.token, {});
    expect(faultPaths(answer).sort()).toEqual(['/name', '/redirectUris']);
  });

  it('say what is wrong with a redirect URI', async () => {
    const answer = await create({ redirectUris: [CALLBACK, 'http://app.example'] });
    expect(answer.body.errors[0].message).toBe(
      'each value in /redirectUris must be https, or http on 127.0.0.1, [::1] or localhost.',
    );
  });

  it('may be at their limits', async () => {
    const redirectUris = Array.from({ length: 10 }, (_, i) => `http://127.0.0.1:${8000 + i}/cb`);
    const homepageUrl = 'http://a.example:8080/x?y=1#z';
    const full = { name: '💻'.repeat(50), description: 'x\n'.repeat(500), homepageUrl, redirectUris };
    expect(ok(await create(full), 201).data).toMatchObject(full);
    expect(ok(await patch(full), 200).data).toMatchObject(full);
  });
});
