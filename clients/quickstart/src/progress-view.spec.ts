import { ProgressView } from './progress-view';

function createProgressView(isTerminal: boolean, env: NodeJS.ProcessEnv = {}) {
  let text = '';
  const out = { isTTY: isTerminal, write: (chunk: string) => (text += chunk) };
  return { screen: new ProgressView(out as unknown as NodeJS.WriteStream, env), written: () => text };
}

describe('ProgressView', () => {
  it('writes one aligned line a step where nobody watches', async () => {
    const { screen, written } = createProgressView(false);
    await screen.runStep(
      'Short',
      () => Promise.resolve(7),
      (n) => `made ${n}`,
    );
    screen.writeCompletedStep('A longer label', 2_345, 'done');
    const [first = '', second = ''] = written().split('\n');
    // How long the first step takes depends on the machine.
    expect(first).toMatch(/^ {2}✓ Short +[\d.]+ m?s {3}made 7$/);
    expect(second).toBe('  ✓ A longer label         2.3 s   done');
    expect(first.indexOf('made 7')).toBe(second.indexOf('done'));
  });

  it('marks the step that failed and passes the reason on', async () => {
    const { screen, written } = createProgressView(false);
    await expect(screen.runStep('Step', () => Promise.reject(new Error('why')))).rejects.toThrow('why');
    expect(written()).toMatch(/^ {2}✗ Step +\d+ ms\n$/);
  });

  it('shows a step while it runs, and colours, on a terminal', async () => {
    const { screen, written } = createProgressView(true);
    await screen.runStep('Step', () => Promise.resolve());
    expect(written()).toContain('\x1b[2m  ○ Step\x1b[0m\r\x1b[2K  \x1b[32m✓\x1b[0m Step');
  });

  it('leaves colours out with NO_COLOR, and everything on a dumb terminal', async () => {
    const plain = createProgressView(true, { NO_COLOR: '1' });
    await plain.screen.runStep('Step', () => Promise.resolve());
    expect(plain.written()).toMatch(/^ {2}○ Step\r.\[2K {2}✓ Step +\d+ ms\n$/);
    const dumb = createProgressView(true, { TERM: 'dumb' });
    dumb.screen.writeHeading('Title');
    expect(dumb.written()).toBe('\nTitle\n\n');
  });
});
