import { MemoryKeyStore, recover, signUp } from '../../src/reference-device';
import { ok } from '../support/device/foreign-device';
import { Service } from '../support/service';
import { TestBrowser, type Person } from './support/browser';

describe('recovering an account in a browser', () => {
  let service: Service;
  let browser: TestBrowser;
  let person: Person;

  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launch();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    person = await browser.person(service.url);
  });
  afterEach(() => person.context.close());

  const recoverWith = async (key: string) => {
    await person.page.goto('/console/sign-in');
    await person.page.getByRole('link', { name: 'Use my recovery key' }).click();
    await person.page.getByLabel('Recovery key').fill(key);
    await person.page.getByRole('button', { name: 'Recover my account' }).click();
  };

  it('takes the key of another browser that is lost, even the last one', async () => {
    const lost = await browser.person(service.url);
    const key = await lost.signUp('ada');
    await lost.context.close();
    await recoverWith(key.toLowerCase().replaceAll('-', ' '));
    await person.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    expect(person.complaints).toEqual([]);
    // It is as good as before: another device gets in by it, with the same content key.
    const laptop = await recover({ url: service.url, store: new MemoryKeyStore(), recoveryKey: key });
    expect((await laptop.devices()).map(({ platform }) => platform).sort()).toEqual([
      'browser',
      'browser',
      'linux',
      'paper',
    ]);
  });

  it.each(['**/approve', '**/console/session'])(
    'that loses an answer from %s ends well when tried again, as one device',
    async (url) => {
      const username = `ada-${Math.random().toString(36).slice(2, 10)}`;
      const laptop = await signUp({ url: service.url, store: new MemoryKeyStore(), username });
      const key = await laptop.addRecoveryKey();
      let seen = 0;
      await person.page.route(url, async (route) => {
        if (seen++ > 0) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await recoverWith(key);
      await person.page.getByText('The service cannot be reached').waitFor();
      await person.page.getByRole('button', { name: 'Recover my account' }).click();
      await person.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
      expect((await laptop.devices()).map(({ platform }) => platform).sort()).toEqual(['browser', 'linux', 'paper']);
    },
  );

  it('takes the key that another kind of device made', async () => {
    const laptop = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'grace' });
    await recoverWith(await laptop.addRecoveryKey());
    await person.page.getByRole('heading', { name: 'Signed in as grace' }).waitFor();
  });

  it.each([
    ['of no account', '0'.repeat(52), 'No account here has this recovery key.'],
    ['that is too short', 'ABCD-EFGH', 'A recovery key has 52 letters and digits'],
    ['with a stray character', `U${'0'.repeat(51)}`, '“U” is in no key'],
  ])('refuses a key %s in words, and keeps what was typed', async (_, key, words) => {
    await recoverWith(key);
    await person.page.getByText(words).waitFor();
    expect(await person.page.getByLabel('Recovery key').inputValue()).toBe(key);
  });

  it('refuses a key that was revoked', async () => {
    const store = new MemoryKeyStore();
    const laptop = await signUp({ url: service.url, store, username: 'linus' });
    const key = await laptop.addRecoveryKey();
    const paper = (await laptop.devices()).find(({ platform }) => platform === 'paper')!;
    ok(await service.http.delete(`/v1/devices/${paper.id}`, await laptop.token()), 204);
    await recoverWith(key);
    await person.page.getByText('This recovery key was revoked.').waitFor();
  });
});
