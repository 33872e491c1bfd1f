import { DAY, HOUR, MINUTE } from '../../../src/common/clock';
import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('the console’s page of usage', () => {
  let service: Service;
  let ada: AccountDevice;
  let visitor: ConsoleVisitor;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '7', RATE_LIMIT_RELAY: '1' });
    // Five past ten: no hour or day ends while a test runs.
    service.advance(DAY - (Date.now() % DAY) + 10 * HOUR + 5 * MINUTE);
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
    ({ token } = await ada.createToken(['sessions:write']));
  });
  afterAll(() => service?.stop());

  const page = async () => (await visitor.get('/console/usage')).html;
  const me = () => service.http.get('/external/v1/me', token);
  const send = () => service.http.post('/external/v1/sessions/ses_nothing/messages', token, { content: 'x' });
  /** Of each row the texts of its cells, after whatever table heading it stands under. */
  const rowsOf = (html: string, caption: string) => {
    const table = new RegExp(`<caption>${caption}[^]*?</table>`).exec(html)![0];
    return table
      .split(/<tr[^>]*>/)
      .slice(2)
      .map((row) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell!));
  };

  it('teaches the first call while there was none', async () => {
    const html = await page();
    expect(html).toContain('No call in the last 30 days');
    expect(html).toContain(`${service.url}/external/v1/me`);
    expect(html).not.toContain('<svg');
  });

  it('counts the calls of each bucket in the hour and on the day, at once', async () => {
    await me();
    await me();
    await send();
    await send();
    const html = await page();
    const title = html.match(/<title>[^<]+UTC: [^<]+<\/title>/g)!;
    expect(title).toHaveLength(48 + 30);
    expect(title[47]).toContain('4 calls (2 metadata, 2 relay)');
    expect(title.at(-1)).toContain('4 calls (2 metadata, 2 relay)');
    expect(title.filter((one) => !one.includes('UTC: 0 calls'))).toHaveLength(2);
    for (const caption of ['Calls per hour', 'Calls per day']) {
      expect(rowsOf(html, caption).map(([, ...counts]) => counts)).toEqual([['2', '2', '2', '1']]);
    }
  });

  it('says what is left of the limits, and takes nothing of it by looking', async () => {
    await me();
    await send();
    for (const html of [await page(), await page()]) {
      const [metadata, relay] = rowsOf(html, 'Rate buckets');
      expect(metadata!.slice(1)).toEqual([
        '7 a minute',
        expect.stringMatching(/^<span>6<\/span><small>full again in \d+ s</),
        '1',
      ]);
      expect(relay!.slice(1)).toEqual([
        '1 a minute',
        expect.stringMatching(/^<span>0<\/span><small>full again in \d+ s</),
        '1',
      ]);
    }
    expect((await me()).body.meta.rateLimit.remaining).toBe(5);
  });

  it('puts earlier calls where they belong, and leaves out what is too long ago', async () => {
    await me();
    service.advance(2 * HOUR);
    await me();
    await me();
    const recent = rowsOf(await page(), 'Calls per hour');
    expect(recent.map(([, metadata]) => metadata)).toEqual(['2', '1']);
    service.advance(47 * HOUR);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
    const later = await page();
    expect(later).toMatch(/<desc id="calls-by-hour-desc">In all 2 calls/);
    expect(later).toMatch(/<desc id="calls-by-day-desc">In all 3 calls/);
    service.advance(31 * DAY);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
    expect(await page()).toContain('No call in the last 30 days');
  });

  it('counts nothing of others', async () => {
    await me();
    const bob = await ConsoleVisitor.signIn(service.url, await AccountDevice.signUp(service.http));
    expect((await bob.get('/console/usage')).html).toContain('No call in the last 30 days');
  });

  it('has nothing inline that its policy forbids', async () => {
    await me();
    expect(await page()).not.toMatch(/\sstyle=|<style|<script(?![^>]*src=)/);
  });
});
