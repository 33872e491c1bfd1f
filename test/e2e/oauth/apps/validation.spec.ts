import { readTableDigests } from '../../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import { listViolations } from '../../../support/violations';
import { expectViolationPaths } from '../../../support/problems';
import { Service } from '../../../support/service';

const APPS_PATH = '/v1/developer/apps';
const CALLBACK_URL = 'https://app.example/callback';

describe("an app's fields", () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let clientId: string;
  const create = (extra: object) =>
    service.http.post(APPS_PATH, ada.token, { name: 'Notes', redirectUris: [CALLBACK_URL], ...extra });
  const patch = (json: object) => service.http.request('PATCH', `${APPS_PATH}/${clientId}`, { token: ada.token, json });

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    clientId = expectStatus(await create({}), 201).data.clientId;
  });

  const faults: [string, unknown[]][] = [
    ['name', ['', ' ', 'x'.repeat(101), 'a\nb', 'a\u202eb', 'a\u2066b', 'Google\u200b', '\u2800', '\u3164', 1, [], {}]],
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
        Array.from({ length: 11 }, (_, i) => `${CALLBACK_URL}${i}`),
        [CALLBACK_URL, CALLBACK_URL],
        CALLBACK_URL,
        [1],
        [[CALLBACK_URL]],
        [null],
        {},
        ['javascript:alert(1)'],
        ['data:text/html,x'],
        ['file:///x'],
        ['http://app.example'],
        ['/callback'],
        [''],
        [`${CALLBACK_URL}#x`],
        ['https://u:p@app.example/'],
        ['https://*.app.example/'],
        ['https://app.example/*'],
        [CALLBACK_URL, 'com.example:/cb'],
        ['http://127.0.0.2/cb'],
      ],
    ],
  ];
  const cases = faults.flatMap(([field, values]) => values.map((value): [string, unknown] => [field, value]));

  it.each(cases)('%s must not be %j, neither at first nor later', async (field, value) => {
    const image = await readTableDigests(service);
    for (const answer of [await create({ [field]: value }), await patch({ [field]: value })]) {
      expect(expectViolationPaths(answer)).toEqual([expect.stringMatching(new RegExp(`^/${field}`))]);
    }
    expect(await readTableDigests(service)).toEqual(image);
  });

  it('are reported together if they aren’t valid', async () => {
    const httpResponse = await create({ name: '', redirectUris: [], description: 1, secret: 'x' });
    expect(listViolations(httpResponse)).toEqual([
      ['body', '/description', 'invalid_type'],
      ['body', '/name', 'out_of_range'],
      ['body', '/redirectUris', 'out_of_range'],
      ['body', '/secret', 'unknown_field'],
    ]);
  });

  it('are required', async () => {
    const httpResponse = await service.http.post(APPS_PATH, ada.token, {});
    expect(expectViolationPaths(httpResponse).sort()).toEqual(['/name', '/redirectUris']);
  });

  it('include the reason of an invalid redirect URI', async () => {
    const httpResponse = await create({ redirectUris: [CALLBACK_URL, 'http://app.example'] });
    expect(httpResponse.body.errors[0].message).toBe(
      'each value in /redirectUris must be https, or http on 127.0.0.1, [::1] or localhost (value 2).',
    );
  });

  it('may be at their limits', async () => {
    const redirectUris = Array.from({ length: 10 }, (_, i) => `http://127.0.0.1:${8000 + i}/cb`);
    const homepageUrl = 'http://a.example:8080/x?y=1#z'.padEnd(2_000, 'z');
    const full = { name: '💻'.repeat(50), description: 'x\n'.repeat(500), homepageUrl, redirectUris };
    expect(expectStatus(await create(full), 201).data).toMatchObject(full);
    expect(expectStatus(await patch(full), 200).data).toMatchObject(full);
  });
});
