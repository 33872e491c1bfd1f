import type { DataKey } from '@external-api/protocol';
import { scaled } from '../support/scale';
import { appendMessages, type TestMessage } from './support/append-messages';
import { ContentFixture } from './support/content-fixture';

const COUNT = scaled(50_000, 2_000);
/** Messages that the page holds at once. */
const MAX_LOADED = 1_000;

describe('the page of a session of many messages', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await appendMessages(fixture, COUNT, createMessage);
  }, 600_000);
  afterAll(() => fixture?.stop());

  /** The last but one is long, the one before it has another key. */
  const createMessage = (index: number, { kid }: DataKey): TestMessage => {
    const n = index + 1;
    const text = n === COUNT - 1 ? `long ${'äöü '.repeat(30_000)}` : `message ${n} `.repeat((n % 7) * 10 + 1);
    const otherKey = { kid, k: Buffer.alloc(32, 1).toString('base64url') };
    return { localId: `m-${n}`, text, ...(n === COUNT - 2 && { dataKey: otherKey }) };
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
    const composer = page.getByLabel('Message', { exact: true });
    const composerBox = await composer.boundingBox();
    expect(composerBox!.y + composerBox!.height).toBeLessThanOrEqual(page.viewportSize()!.height);
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
    expect(await composer.boundingBox()).toEqual(composerBox);
    await page.getByRole('button', { name: 'Newest' }).click();
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
