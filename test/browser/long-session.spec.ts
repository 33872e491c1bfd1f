import { buildMessageBinding, sealContent, type DataKey } from '@external-api/protocol';
import { expectStatus } from '../support/device/foreign-device';
import { scaled } from '../support/scale';
import { ContentFixture } from './support/content-fixture';

const COUNT = scaled(50_000, 2_000);
const BATCH_SIZE = 100;
/** Messages that the page holds at once. */
const MAX_LOADED = 1_000;

describe('the page of a session of many messages', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await appendMessages();
  }, 600_000);
  afterAll(() => fixture?.stop());

  /** Appends messages as the machine does: the last but one is long, the one before it has another key. */
  const appendMessages = async () => {
    const { sessionId, sessionTag } = fixture.machine.machineService.identity;
    const state = (await fixture.machine.store.loadState('machine'))!;
    const dataKey = state.dataKeys![sessionTag]!;
    const otherKey: DataKey = { kid: dataKey.kid, k: Buffer.alloc(32, 1).toString('base64url') };
    const createMessage = async (n: number) => {
      const localId = `m-${n}`;
      const text = n === COUNT - 1 ? `long ${'äöü '.repeat(30_000)}` : `message ${n} `.repeat((n % 7) * 10 + 1);
      const content = { mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from(text) };
      const place = buildMessageBinding(state.account!.id, sessionTag, localId, 'assistant');
      const key = n === COUNT - 2 ? otherKey : dataKey;
      return { localId, role: 'assistant', content: await sealContent(content, key, place) };
    };
    for (let from = 1; from <= COUNT; from += BATCH_SIZE) {
      const numbers = Array.from({ length: BATCH_SIZE }, (_, index) => from + index);
      const messages = await Promise.all(numbers.map(createMessage));
      const path = `/v1/sessions/${sessionId}/messages`;
      expectStatus(await fixture.service.http.post(path, state.token!.value, { messages }), 201);
    }
  };

  it('shows the last ones, of which one that does not decrypt hides no other, and a long one is cut', async () => {
    const { page } = fixture.ada;
    await page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    const items = page.locator('.message');
    await items.filter({ hasText: `message ${COUNT} ` }).waitFor();
    await items.filter({ hasText: 'This message can’t be shown.' }).waitFor();
    expect(await items.filter({ hasText: 'can’t be shown' }).count()).toBe(1);
    const long = items.filter({ hasText: 'long äöü' });
    expect((await long.textContent())!.length).toBeLessThan(10_000);
    await long.getByRole('button', { name: 'Show all (121 kB)' }).click();
    expect((await long.textContent())!.length).toBeGreaterThan(120_000);
  });

  it('holds a bounded part of them, from the last to the first and back', async () => {
    const { page } = fixture.ada;
    await page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    const items = page.locator('.message');
    await items.filter({ hasText: `message ${COUNT} ` }).waitFor();
    await page.locator('.messages').hover();
    const position = page.locator('.history-position small');
    const isEndShown = async () => (await position.textContent())!.includes(`to ${COUNT.toLocaleString()} of`);
    // Upwards until the page has dropped messages at the end.
    while (await isEndShown()) {
      await page.mouse.wheel(0, -100_000);
      await page.waitForTimeout(50);
      expect(await items.count()).toBeLessThanOrEqual(MAX_LOADED);
    }
    await page.getByRole('button', { name: 'Go to the first' }).click();
    await page.getByText(/^Messages 1 to 100 of /).waitFor();
    await page.getByRole('button', { name: 'Go to the latest' }).click();
    await items.filter({ hasText: `message ${COUNT} ` }).waitFor();
    expect(fixture.ada.pageErrors).toEqual([]);
  });

  it('does not ask again and again when earlier messages can’t be loaded', async () => {
    const { page } = fixture.ada;
    await page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await page
      .locator('.message')
      .filter({ hasText: `message ${COUNT} ` })
      .waitFor();
    let requests = 0;
    await page.route(/\/messages\?/, (route) => {
      requests += 1;
      return route.abort();
    });
    const box = page.locator('.messages');
    await box.evaluate((element) => (element.scrollTop = 0));
    await page.getByRole('alert').waitFor();
    await page.waitForTimeout(1_000);
    expect(requests).toBeLessThan(4);
    await page.unroute(/\/messages\?/);
    await box.evaluate((element) => (element.scrollTop = 60));
    await page.getByText(new RegExp(`^Messages ${(COUNT - 199).toLocaleString()} to `)).waitFor();
    fixture.ada.pageErrors.length = 0;
  });
});
