import { DAY, HOUR, MINUTE } from '../../../src/common/clock';
import { RetentionService } from '../../../src/core/database';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

describe('the console’s page of usage', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '7', RATE_LIMIT_RELAY: '1' });
    // At five past ten, no hour or day ends during a test.
    service.advanceClock(DAY - (Date.now() % DAY) + 10 * HOUR + 5 * MINUTE);
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
    ({ token } = await ada.createToken(['sessions:write']));
  });
  afterAll(() => service?.stop());

  const page = async () => (await visitor.get('/console/usage')).html;
  const me = () => service.http.get('/external/v1/me', token);
  const send = () => service.http.post('/external/v1/sessions/ses_nothing/messages', token, { content: 'x' });
  /** Returns the texts of the cells of each row. */
  const rowsOf = (html: string, caption: string) => {
    const table = new RegExp(`<caption>${caption}[^]*?</table>`).exec(html)![0];
    return table
      .split(/<tr[^>]*>/)
      .slice(2)
      .map((row) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell!));
  };

  it('shows an example call while there are none', async () => {
    const html = await page();
    expect(html).toContain('No calls in the last 30 days');
    expect(html).toContain(`${service.url}/external/v1/me`);
    expect(html).not.toContain('<svg');
  });

  it('shows new calls of each bucket per hour and day at once', async () => {
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

  it('shows the remaining calls without consuming any', async () => {
    await me();
    await send();
    for (const html of [await page(), await page()]) {
      const [metadata, relay] = rowsOf(html, 'Rate buckets');
      expect(metadata![0]).toContain('cancellations and decisions');
      expect(metadata!.slice(1)).toEqual([
        '7 per minute',
        expect.stringMatching(/^<span>6<\/span><small>resets in \d+ s</),
        '1',
      ]);
      expect(relay!.slice(1)).toEqual([
        '1 per minute',
        expect.stringMatching(/^<span>0<\/span><small>resets in \d+ s</),
        '1',
      ]);
    }
    expect((await me()).body.meta.rateLimit.remaining).toBe(5);
  });

  it('shows earlier calls in their period and omits older ones', async () => {
    await me();
    service.advanceClock(2 * HOUR);
    await me();
    await me();
    const recent = rowsOf(await page(), 'Calls per hour');
    expect(recent.map(([, metadata]) => metadata)).toEqual(['2', '1']);
    service.advanceClock(47 * HOUR);
    visitor = await ConsoleClient.signIn(service.url, ada);
    const later = await page();
    expect(later).toMatch(/<desc id="calls-by-hour-desc">2 calls/);
    expect(later).toMatch(/<desc id="calls-by-day-desc">3 calls/);
    service.advanceClock(31 * DAY);
    visitor = await ConsoleClient.signIn(service.url, ada);
    expect(await page()).toContain('No calls in the last 30 days');
  });

  it('names the callers and operations of a range', async () => {
    await me();
    service.advanceClock(2 * HOUR);
    visitor = await ConsoleClient.signIn(service.url, ada);
    await send();
    const read = async (range: string) => (await visitor.get(`/console/usage?range=${range}`)).html;
    const hour = await read('hour');
    expect(rowsOf(hour, 'Calls by operation, this hour and the last').map((cells) => cells.slice(2))).toEqual([
      ['1', '1', '0'],
    ]);
    expect(hour).toContain('?range=hour#callers" aria-current="true"');
    for (const [range, words] of [
      ['day', 'the last 24 hours'],
      ['week', 'the last 7 days'],
      ['month', 'the last 30 days'],
    ] as const) {
      expect(rowsOf(await read(range), `Calls by operation, ${words}`)).toHaveLength(2);
    }
    service.advanceClock(5 * HOUR);
    visitor = await ConsoleClient.signIn(service.url, ada);
    expect(await read('hour')).toContain('There were no calls.');
    expect((await visitor.get('/console/usage?range=year')).status).toBe(400);
  });

  it('lists the callers and operations with the most calls first, and sums up those beyond ten', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `number-${n}`);
    for (const [n, name] of names.entries()) {
      const { id } = await ada.createToken(['usage:read'], { name });
      await queryDatabase(
        service,
        `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
         VALUES ($1, $2, 'metadata', $3, $4, $5, 1, 0)`,
        // Neither the names nor the times of creation are in the order of the calls, which are 1 to 12.
        [ada.accountId, new Date(service.now - (service.now % HOUR)), id, name, 1 + ((5 * n) % 12)],
      );
    }
    const html = await page();
    for (const caption of ['Calls by token and app', 'Calls by operation']) {
      const rows = rowsOf(html, caption).map(([name, , ...counts]) => [/>([^<]+)</.exec(name!)![1], ...counts]);
      expect(rows).toEqual([
        ...[7, 2, 9, 4, 11, 6, 1, 8, 3, 10].map((n, index) => [names[n], String(12 - index), '1', '0']),
        ['All others', '3', '2', '0'],
      ]);
    }
  });

  it('names apps as callers, and sums up the calls of callers that no longer exist', async () => {
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const { access_token } = await app.obtainTokens(service, ada);
    for (let n = 0; n < 4; n++) await service.http.get('/external/v1/me', access_token);
    await me();
    await queryDatabase(
      service,
      `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
       SELECT $1, $2, 'metadata', unnest($3::text[]), 'getMe', 1, 0, 0`,
      [ada.accountId, new Date(service.now - (service.now % HOUR)), ['tok_deleted', 'fam_deleted']],
    );
    const rows = rowsOf(await page(), 'Calls by token and app');
    expect(rows.map(([name, , calls]) => [name!.replaceAll(/<[^>]+>/g, ' ').trim(), calls])).toEqual([
      ['Notes  authorized app', '4'],
      ['Deleted tokens and apps', '2'],
      ['a test token  token', '1'],
    ]);
  });

  it('names apps whose sign-in has expired meanwhile', async () => {
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    let tokens = await app.obtainTokens(service, ada);
    for (let n = 0; n < 3; n++) {
      service.advanceClock(29 * DAY);
      tokens = expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    }
    expectStatus(await service.http.get('/external/v1/me', tokens.access_token), 200);
    service.advanceClock(5 * DAY);
    await service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
    visitor = await ConsoleClient.signIn(service.url, ada);
    const rows = rowsOf(await page(), 'Calls by token and app');
    expect(rows.map(([name]) => name)).toEqual([expect.stringContaining('Notes')]);
  });

  it('counts no calls of other accounts', async () => {
    await me();
    const bob = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    expect((await bob.get('/console/usage')).html).toContain('No calls in the last 30 days');
  });

  it('contains no inline content that its policy forbids', async () => {
    await me();
    expect(await page()).not.toMatch(/\sstyle=|<style|<script(?![^>]*src=)/);
  });
});
