import { appendMessages } from '../../test/browser/support/append-messages';
import { TestBrowser, type BrowserUser } from '../../test/browser/support/test-browser';
import { ReferenceMachine } from '../../test/support/reference-machine';
import type { BenchFixture } from './bench-fixture';

/** Messages that can be decrypted, more than a page holds. */
const READABLE_MESSAGES = 1_100;
const REMEMBERED = 'readableAt';

/** A person with a browser, whose machine has a session of many messages. */
export class LongSession {
  private constructor(
    private readonly browser: TestBrowser,
    private readonly ada: BrowserUser,
    private readonly machine: ReferenceMachine,
  ) {}

  static async create(benchFixture: BenchFixture, messages: number): Promise<LongSession> {
    const { url, http } = benchFixture.firstInstance;
    const browser = await TestBrowser.launchBrowser();
    try {
      const ada = await browser.openProfile(url);
      await ada.signUp('ada');
      const options = { url, name: 'build box', account: 'ada' };
      const machine = await ReferenceMachine.start(options, (code, fingerprint) => approve(ada, code, fingerprint));
      await insertMessages(benchFixture, machine.sessionId, messages - READABLE_MESSAGES);
      await appendMessages(
        { machine, service: { url, http, stop: () => Promise.resolve() } },
        READABLE_MESSAGES,
        (n) => ({
          localId: `readable-${n}`,
          role: n % 4 === 0 ? 'user' : 'assistant',
          text:
            n === READABLE_MESSAGES - 1
              ? 'The last message.'
              : `Message **${n}** with \`code\`. `.repeat((n % 7) * 4 + 1),
        }),
      );
      await ada.page.addInitScript(rememberReadableTime, REMEMBERED);
      return new LongSession(browser, ada, machine);
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  /** Opens the page of the session. Returns the ms until its last message is shown, and those that scripts have run. */
  async openPage(): Promise<{ readableMs: number; scriptMs: number }> {
    const { page, context, pageErrors } = this.ada;
    await page.goto('/console/tokens');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    const readScriptSeconds = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ScriptDuration')!.value;
    };
    const before = await readScriptSeconds();
    await page.goto(`/console/sessions/${this.machine.sessionId}`);
    const readable = await page.waitForFunction((name) => (globalThis as Record<string, unknown>)[name], REMEMBERED);
    const readableMs = (await readable.jsonValue()) as number;
    const scriptMs = ((await readScriptSeconds()) - before) * 1_000;
    await devtools.detach();
    if (pageErrors.length > 0) throw new Error(pageErrors.join());
    return { readableMs, scriptMs };
  }

  stop = async (): Promise<void> => {
    await this.machine.stop();
    await this.browser.close();
  };
}

/** Runs in the browser: notes when the last message is about to be painted, in ms since the navigation. */
function rememberReadableTime(name: string): void {
  const observer = new MutationObserver(() => {
    const last = [...document.querySelectorAll('.message')].at(-1);
    if (!last?.textContent?.includes('The last message.')) return;
    observer.disconnect();
    requestAnimationFrame(() => Object.assign(globalThis, { [name]: performance.now() }));
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
}

async function approve({ page }: BrowserUser, code: string, fingerprint: string): Promise<void> {
  await page.goto('/console/devices');
  await page.getByLabel('Approve a device').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(fingerprint).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
}

/** Inserts messages that nobody can decrypt, as if the session had been used for long. */
async function insertMessages(benchFixture: BenchFixture, sessionId: string, count: number): Promise<void> {
  await benchFixture.query(
    `INSERT INTO messages (id, session_id, seq, local_id, role, content, key_id, size_bytes, created_at)
     SELECT 'msg_' || lpad(g::text, 26, '0'), s.id, g, 'old-' || g, 'assistant', repeat('x', 600), s.data_key_id,
            600, now()
       FROM sessions s, generate_series(1, ${count}) g WHERE s.id = $1`,
    [sessionId],
  );
  await benchFixture.query('UPDATE sessions SET last_seq = $2, message_count = $2 WHERE id = $1', [sessionId, count]);
  await benchFixture.query('ANALYZE messages');
}
