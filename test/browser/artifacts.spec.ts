import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { itWith } from '../support/dependencies';
import { postFromPage } from './support/control-calls';
import { refuseCalls, refuseRequest } from './support/refuse-request';
import { ContentFixture } from './support/content-fixture';

/** Image of 2 by 2 pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYGJgYGBgQEAFRoCAZ1e8cQAAAAASUVORK5CYII=',
  'base64',
);
const HOSTILE_HTML = '<!doctype html><script>top.document.title = "owned"</script><h1>Report</h1>';
const RIGHT_TO_LEFT = 'invoice\u202efdp.exe';

describe('the pages of artifacts', () => {
  let fixture: ContentFixture;
  let open: (id: string) => Promise<void>;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    const { page } = fixture.ada;
    open = async (id) => {
      await page.goto(`/console/artifacts/${id}`);
      await page.getByText('Version', { exact: true }).waitFor();
    };
  });
  afterEach(() => expect(fixture.ada.pageErrors.splice(0)).toEqual([]));
  afterAll(() => fixture?.stop());

  it('list artifacts as they are stored, with the titles of their sessions', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/artifacts');
    await page.getByRole('heading', { name: 'No artifacts yet' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await fixture.putArtifact('first report', 'text/plain', 'one');
    const row = page.getByRole('row').filter({ hasText: 'first report' });
    await row.waitFor();
    expect(await row.textContent()).toContain('build box');
    await fixture.putArtifact('first report', 'text/plain', 'two');
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    await page.getByLabel('Session').selectOption({ label: 'build box' });
    await row.getByRole('link', { name: 'first report' }).click();
    await page.getByText('two', { exact: true }).waitFor();
  });

  /** The page reads its list when it opens, and again when its stream has opened. */
  const openList = async () => {
    const { page } = fixture.ada;
    let reads = 0;
    const isComplete = page.waitForResponse((response) => response.url().includes('/artifacts?') && ++reads === 2);
    await page.goto('/console/artifacts');
    await (await isComplete).finished();
  };

  it('disappear from the list when they are deleted', async () => {
    const { page } = fixture.ada;
    const id = await fixture.putArtifact('short-lived', 'text/plain', 'x');
    await openList();
    const row = page.getByRole('row').filter({ hasText: 'short-lived' });
    await row.waitFor();
    await fixture.deleteArtifact(id);
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'first report' }).waitFor();
  });

  it('stay in the list if they are stored while it is read again', async () => {
    const { page } = fixture.ada;
    let markRead!: () => void;
    let release!: () => void;
    const isRead = new Promise<void>((resolve) => (markRead = resolve));
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    await page.route(/\/artifacts\?/, async (route) => {
      const response = await route.fetch();
      if (++reads === 2) {
        markRead();
        await isReleased;
      }
      await route.fulfill({ response });
    });
    await page.goto('/console/artifacts');
    await isRead;
    const id = await fixture.putArtifact('stored meanwhile', 'text/plain', 'x');
    const row = page.getByRole('row').filter({ hasText: 'stored meanwhile' });
    await row.waitFor();
    const loading = page.locator('.more').filter({ hasText: 'Loading …' });
    await loading.waitFor();
    release();
    await loading.waitFor({ state: 'detached' });
    expect(await row.count()).toBe(1);
    await page.unrouteAll();
    await fixture.deleteArtifact(id);
    await row.waitFor({ state: 'detached' });
  });

  it('are listed page by page, also after a page that could not be read', async () => {
    const { page } = fixture.ada;
    await fixture.putArtifact('second report', 'text/plain', 'x');
    await page.route(/\/artifacts\?limit=/, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=1'),
      }),
    );
    await openList();
    const rows = page.getByRole('table', { name: 'Artifacts' }).getByRole('link', { name: /report$/ });
    await rows.filter({ hasText: 'second report' }).waitFor();
    const loadMore = page.getByRole('button', { name: 'Load more' });
    await refuseCalls(page, 'GET', /\/artifacts\?cursor=/);
    await loadMore.click();
    await page.getByRole('alert').getByText('Refused.').waitFor();
    await page.unrouteAll();
    await loadMore.click();
    await rows.filter({ hasText: 'first report' }).waitFor();
    await loadMore.waitFor({ state: 'detached' });
    expect(await rows.allTextContents()).toEqual(['second report', 'first report']);
    expect(fixture.ada.pageErrors.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  });

  itWith('git')('name the changes of a turn by their files and lines', async () => {
    const { page } = fixture.ada;
    execFileSync('git', ['init', '--quiet'], { cwd: fixture.folder });
    const machineId = fixture.machine.machineService.identity.machineId;
    const body = { content: 'create total.ts', waitMs: 20_000 };
    await page.goto('/console/artifacts');
    await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, body);
    await page.getByRole('link', { name: /^Changes of turn 1: total\.ts, \+\d+ −0$/ }).click();
    await page.getByRole('heading', { name: /^Changes of turn 1: total\.ts/ }).waitFor();
    expect(await page.title()).toMatch(/^Changes of turn 1: total\.ts/);
    await page.getByText(/^ses_\w+\/turn_\w+\.patch$/).waitFor();
    await page.locator('.facts').getByRole('link').click();
    const panel = page.getByRole('region', { name: 'Details of the session' });
    await panel.getByRole('link', { name: /^Changes of turn 1: total\.ts, \+\d+ −0$/ }).waitFor();
  });

  it('show the changes of a turn in colors', async () => {
    const { page } = fixture.ada;
    await open(await fixture.putArtifact('turn.patch', 'text/x-diff', '@@ -1 +1 @@\n same\n-old line\n+new line\n'));
    await page.locator('.diff-line.added', { hasText: '+added: new line' }).waitFor();
    await page.locator('.diff-line.removed', { hasText: '−removed: old line' }).waitFor();
  });

  it('show an image in a frame without scripts and origin', async () => {
    const { page } = fixture.ada;
    await open(await fixture.putArtifact('screenshot', 'image/png', PNG));
    const frame = page.locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).toBe('');
    const image = page.frameLocator('iframe').locator('img');
    await image.waitFor();
    expect(await image.evaluate((element: any) => [element.naturalWidth, element.ownerDocument.contentType])).toEqual([
      2,
      'image/png',
    ]);
    // Chromium's own document around an image has an inline style, which the page's policy blocks there as well.
    for (const message of fixture.ada.pageErrors.splice(0)) expect(message).toContain("'style-src 'self''");
  });

  it('never render HTML, and show what its name hides', async () => {
    const { page } = fixture.ada;
    await open(await fixture.putArtifact(RIGHT_TO_LEFT, 'text/html', HOSTILE_HTML));
    await page.getByRole('heading', { name: 'invoice\\u{202e}fdp.exe' }).waitFor();
    expect(await page.locator('pre.text').textContent()).toBe(HOSTILE_HTML);
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.title()).not.toContain('owned');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('invoice_fdp.exe');
    expect(await readFile(await download.path(), 'utf8')).toBe(HOSTILE_HTML);
  });

  it('say that an image is none', async () => {
    await open(await fixture.putArtifact('false image', 'image/png', HOSTILE_HTML));
    await fixture.ada.page.getByText('its content is not such an image').waitFor();
    expect(await fixture.ada.page.locator('iframe').count()).toBe(0);
  });

  it('show the beginning of a large text, and all of it on request', async () => {
    const { page } = fixture.ada;
    const text = `${'0123456789 abcdefghijklmnopqrstuvwxyz\n'.repeat(160_000)}the end`;
    await open(await fixture.putArtifact('large log', 'text/plain', text));
    await page.getByText('This is the beginning').waitFor();
    expect((await page.locator('pre.text').textContent())!.length).toBe(262_144);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('This is the beginning').waitFor({ state: 'detached' });
    expect((await page.locator('pre.text').textContent())!.endsWith('the end')).toBe(true);
  });

  it('say that moved content can’t be decrypted, and show nothing of it', async () => {
    const { page } = fixture.ada;
    const id = await fixture.putArtifact('original', 'text/plain', 'secret of the original');
    await page.route(`**/v1/artifacts/${id}`, async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      await route.fulfill({ response, json: { data: { ...data, tag: 'elsewhere' } } });
    });
    await open(id);
    await page.getByText('This artifact can’t be decrypted').waitFor();
    expect(await page.content()).not.toContain('secret of the original');
    await page.getByText('This browser can’t share it').waitFor();
    await page.unroute(`**/v1/artifacts/${id}`);
  });

  it('say that an artifact is gone, and that a login has ended', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/artifacts/art_01kpmvv80hfdssm8wysxkm8fea');
    await page.getByText('This artifact doesn’t exist, or was deleted.').waitFor();
    const id = await fixture.putArtifact('after all', 'text/plain', 'x');
    await page.route(`**/v1/artifacts/${id}`, (route) => refuseRequest(route, 401, 'invalid_token'));
    await page.goto(`/console/artifacts/${id}`);
    await page.getByText('You are signed out. Reload the page to sign in.').waitFor();
    expect(fixture.ada.pageErrors.splice(0)).toHaveLength(2);
  });
});

describe('who can read an artifact', () => {
  let fixture: ContentFixture;
  let id: string;
  let token: { id: string; secret: string };
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    id = await fixture.putArtifact('report', 'text/plain', 'for one token');
    token = await fixture.createToken('deploys', ['artifacts:content']);
    await fixture.ada.page.goto(`/console/artifacts/${id}`);
  });
  afterAll(() => fixture?.stop());

  const readContent = () => fixture.service.http.get(`/external/v1/artifacts/${id}/content`, token.secret);

  it('is the token that the user chose, until the grant is revoked', async () => {
    const { page } = fixture.ada;
    await page.getByText('Not shared with any token or app.').waitFor();
    expect((await readContent()).status).toBe(403);
    await page.getByRole('button', { name: 'Share …' }).click();
    await page.getByRole('combobox', { name: /^Who/ }).selectOption({ label: 'deploys' });
    await page.getByRole('combobox', { name: 'For how long' }).selectOption('30 days');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const grant = page.getByRole('listitem').filter({ hasText: 'Token deploys' });
    await grant.getByText(/through the service · expires /).waitFor();
    expect((await readContent()).body.data.content).toBe('for one token');
    await grant.getByRole('button', { name: 'Revoke Token deploys' }).click();
    await grant.getByText('This ends the access of Token deploys at once.').waitFor();
    await grant.getByRole('button', { name: 'Cancel' }).click();
    await grant.getByRole('button', { name: 'Revoke Token deploys' }).click();
    await grant.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Not shared with any token or app.').waitFor();
    expect((await readContent()).status).toBe(403);
    expect(fixture.ada.pageErrors).toEqual([]);
  });

  it('is the holder of a key, which must be public', async () => {
    const { page } = fixture.ada;
    await page.getByRole('button', { name: 'Share …' }).click();
    await page.getByRole('combobox', { name: /^Who/ }).selectOption({ label: 'All tokens, also future ones' });
    await page.getByText('Only for the holder of a key').click();
    await page.getByRole('textbox', { name: /^Public key/ }).fill('{"kty":"OKP","crv":"X25519","x":"AA","d":"AA"}');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('This key can’t be used. It is a private key').waitFor();
    const x = '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08';
    await page
      .getByRole('textbox', { name: /^Public key/ })
      .fill(JSON.stringify({ kty: 'OKP', crv: 'X25519', x, kid: 'reader-1' }));
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('only with your own key reader-1').waitFor();
    expect((await readContent()).body.data.encoding).toBe('sealed');
  });

  it('is the same when another tab has revoked the grant', async () => {
    const { page, context } = fixture.ada;
    const other = await context.newPage();
    await other.goto(`/console/artifacts/${id}`);
    const revoke = async (tab: typeof page) => {
      await tab.getByRole('button', { name: 'Revoke All tokens' }).click();
      await tab.getByRole('button', { name: 'Revoke', exact: true }).click();
    };
    await page.getByRole('button', { name: 'Revoke All tokens' }).waitFor();
    await revoke(other);
    await other.getByText('Not shared with any token or app.').waitFor();
    await page.bringToFront();
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.getByText('Not shared with any token or app.').waitFor();
    await other.close();
  });
});
