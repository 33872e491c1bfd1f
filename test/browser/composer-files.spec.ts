import { readFileSync } from 'node:fs';
import { waitFor } from '../support/wait-for';
import { ContentFixture } from './support/content-fixture';
import { expectAccessiblePage } from './support/visual-checks';

const NOTES = 'It fails since Monday, in Köln.';
const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1');

describe('files that are sent from the page of a session', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    await fixture.ada.page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
  });
  afterAll(() => fixture?.stop());
  afterEach(() => {
    expect(fixture.ada.pageErrors.splice(0)).toEqual([]);
  });

  const getList = () => fixture.ada.page.getByRole('list', { name: 'Attached files' });
  const getSendButton = () => fixture.ada.page.getByRole('button', { name: 'Send message' });
  const fill = (text: string) => fixture.ada.page.getByLabel('Message', { exact: true }).fill(text);
  const choose = async (...files: { name: string; mimeType: string; buffer: Buffer }[]) => {
    const chooser = fixture.ada.page.waitForEvent('filechooser');
    await fixture.ada.page.getByRole('button', { name: 'Attach files' }).click();
    await (await chooser).setFiles(files);
  };
  /** Dispatches what the browser dispatches when a person drops or pastes a file. */
  const transfer = (types: string[], name: string, bytes: Buffer) =>
    fixture.ada.page.evaluate(
      ([eventTypes, fileName, base64]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], fileName));
        const options = { bubbles: true, cancelable: true };
        const field = document.querySelector('.composer textarea')!;
        return eventTypes.map((type) =>
          type === 'paste'
            ? field.dispatchEvent(new ClipboardEvent(type, { ...options, clipboardData: data }))
            : document.body.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: data })),
        );
      },
      [types, name, bytes.toString('base64')] as const,
    );
  /** Returns the files that the agent got, by the name of each. */
  const readReceivedFiles = async (count: number) => {
    const replies = fixture.ada.page.locator('.message.assistant').filter({ hasText: 'Attached file: ' });
    let paths: string[] = [];
    await waitFor(async () => {
      const text = (await replies.allTextContents()).join('You said: ');
      paths = [...text.matchAll(/Attached file: (\S+?)(?=You said: |$)/g)].map(([, path]) => path!);
      expect(paths).toHaveLength(count);
    });
    return paths.map((path) => [path.replace(/^.*\/\d-/, ''), readFileSync(path)]);
  };

  it('are chosen, dropped and pasted, encrypted in the browser, and reach the agent', async () => {
    const { page } = fixture.ada;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await choose({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(NOTES) });
    expect(await transfer(['dragover'], 'x', PICTURE)).toEqual([false]);
    await page.getByPlaceholder('Drop the files here').waitFor();
    expect(await transfer(['drop'], 'größe.png', PICTURE)).toEqual([false]);
    expect(await transfer(['paste'], 'image.png', PICTURE)).toEqual([false]);
    await choose({ name: 'secret.txt', mimeType: 'text/plain', buffer: Buffer.from('not this one') });
    await getList().getByRole('button', { name: 'Remove secret.txt' }).click();
    expect(await getList().getByRole('listitem').allTextContents()).toEqual([
      'notes.txt 32 bytes✕',
      'größe.png 16 bytes✕',
      'image.png 16 bytes✕',
    ]);
    await page.getByText('3 of at most 8 files, 64 bytes of 700 KiB together').waitFor();
    await expectAccessiblePage(fixture.ada, 'composer-files');
    expect(await getSendButton().isDisabled()).toBe(true);
    await fill('Look at these');
    await getSendButton().click();
    expect(await readReceivedFiles(3)).toEqual([
      ['notes.txt', Buffer.from(NOTES)],
      ['größe.png', PICTURE],
      ['image.png', PICTURE],
    ]);
    expect(await getList().count()).toBe(0);
    for (const secret of ['Monday', 'notes.txt', Buffer.from(NOTES).toString('base64').slice(0, 20)])
      expect(sent.join()).not.toContain(secret);
  });

  it('are named below the message, with links to their artifacts', async () => {
    const { page } = fixture.ada;
    const files = page
      .locator('.message.user')
      .filter({ hasText: 'Look at these' })
      .getByRole('list', { name: 'Files' });
    // The machine stores the files first.
    await files.getByRole('listitem').nth(2).waitFor();
    expect(await files.getByRole('listitem').allTextContents()).toEqual(['notes.txt', 'größe.png', 'image.png']);
    await files.getByRole('link', { name: 'notes.txt' }).click();
    await page.getByText(NOTES).waitFor();
    await page.goBack();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('are refused where they are too many or too large, before anything is sent', async () => {
    const { page } = fixture.ada;
    const create = (n: number, bytes: number) => ({ name: `${n}.bin`, mimeType: '', buffer: Buffer.alloc(bytes, n) });
    await fill('too much');
    await choose(...Array.from({ length: 9 }, (_, n) => create(n, 10)));
    await page.getByText('At most 8 files can be sent with a message.').waitFor();
    expect(await getSendButton().isDisabled()).toBe(true);
    for (let n = 0; n < 9; n++) await getList().getByRole('button').first().click();
    await choose(create(1, 716_801));
    await page.getByText('The files are larger than 700 KiB together.').waitFor();
    expect(await getSendButton().isDisabled()).toBe(true);
    await getList().getByRole('button').click();
    await choose(create(2, 716_800));
    await fill('ü'.repeat(60_000));
    await getSendButton().click();
    await page.getByText('The text and the files are too large together.').waitFor();
    await fill('as much as fits');
    await getSendButton().click();
    await readReceivedFiles(4);
  });

  it('can interrupt the agent, and can’t steer it', async () => {
    const { page } = fixture.ada;
    await fill('silent');
    await getSendButton().click();
    await page.getByText('The agent is working', { exact: true }).waitFor();
    await choose({ name: 'later.txt', mimeType: 'text/plain', buffer: Buffer.from('later') });
    await fill('Look at this, too');
    expect(await page.getByRole('button', { name: 'Steer' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Interrupt and send' }).click();
    expect((await readReceivedFiles(5)).at(-1)).toEqual(['later.txt', Buffer.from('later')]);
  });

  it('are still there after a message that was not sent', async () => {
    const { page } = fixture.ada;
    await page.getByText('The agent is working', { exact: true }).waitFor({ state: 'hidden' });
    await page.route(/\/messages$/, (route) => route.abort());
    await choose({ name: 'again.txt', mimeType: 'text/plain', buffer: Buffer.from('again') });
    await fill('Look again');
    await getSendButton().click();
    await page.getByText('It is not known whether the message arrived.').waitFor();
    await page.unroute(/\/messages$/);
    await getSendButton().click();
    expect((await readReceivedFiles(6)).at(-1)).toEqual(['again.txt', Buffer.from('again')]);
    expect(fixture.ada.pageErrors.splice(0)).toHaveLength(1);
  });
});
