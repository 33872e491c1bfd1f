import { queryDatabase } from '../support/database';
import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

/** A month of calls: by day more than by night, and one hour in which a script went wild. */
const A_MONTH = `
  INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
  SELECT a.id, date_trunc('hour', now()) - n * interval '1 hour', bucket, 'tok_x', 'getMe',
         (abs(sin(n / 7.6)) * CASE bucket WHEN 'relay' THEN 90 ELSE 260 END)::int
           + CASE WHEN n = 9 AND bucket = 'metadata' THEN 1400 ELSE 0 END,
         n % 4, CASE n WHEN 9 THEN 3 ELSE 0 END
    FROM accounts a, generate_series(0, 700) n, unnest(ARRAY['metadata', 'relay']) bucket`;

describe.each(Object.keys(VISUAL_VARIANTS))('the usage page is accessible and fits the screen: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, VISUAL_VARIANTS[look]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('usage', async () => {
    await ada.page.goto('/console/usage');
    await expectAccessiblePage(ada, `${look}-usage-empty`);
    await queryDatabase(service, A_MONTH);
    await ada.page.reload();
    await ada.page.getByRole('img', { name: 'Calls per day' }).waitFor();
    await expectAccessiblePage(ada, `${look}-usage`);
    await ada.page.getByText('These hours as a table').click();
    await expectAccessiblePage(ada, `${look}-usage-table`);
  });

  it('usage on a very small screen', async () => {
    await ada.page.setViewportSize({ width: 320, height: 640 });
    await ada.page.reload();
    await expectAccessiblePage(ada, `${look}-usage-small`);
  });
});
