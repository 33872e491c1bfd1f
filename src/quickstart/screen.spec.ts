import { Screen } from './screen';

function screenOn(terminal: boolean, env: NodeJS.ProcessEnv = {}) {
  let text = '';
  const out = { isTTY: terminal, write: (chunk: string) => (text += chunk) };
  return { screen: new Screen(out as unknown as NodeJS.WriteStream, env), written: () => text };
}

describe('Screen', () => {
  it('writes one aligned line a step where nobody watches', async () => {
    const { screen, written } = screenOn(false);
    await screen.step(
      'Short',
      () => Promise.resolve(7),
      (n) => `made ${n}`,
    );
    screen.done('A longer label', 2_345, 'done');
    expect(written().replace(/ \d+ ms/, ' 0 ms')).toBe(
      '  ✓ Short                   0 ms   made 7\n  ✓ A longer label         2.3 s   done\n',
    );
  });

  it('marks the step that failed and passes the reason on', async () => {
    const { screen, written } = screenOn(false);
    await expect(screen.step('Step', () => Promise.reject(new Error('why')))).rejects.toThrow('why');
    expect(written()).toMatch(/^ {2}✗ Step +\d+ ms\n$/);
  });

  it('shows a step while it runs, and colours, on a terminal', async () => {
    const { screen, written } = screenOn(true);
    await screen.step('Step', () => Promise.resolve());
    expect(written()).toContain('\x1b[2m  ○ Step\x1b[0m\r\x1b[2K  \x1b[32m✓\x1b[0m Step');
  });

  it('leaves colours out with NO_COLOR, and everything on a dumb terminal', async () => {
    const plain = screenOn(true, { NO_COLOR: '1' });
    await plain.screen.step('Step', () => Promise.resolve());
    expect(plain.written()).toMatch(/^ {2}○ Step\r.\[2K {2}✓ Step +\d+ ms\n$/);
    const dumb = screenOn(true, { TERM: 'dumb' });
    dumb.screen.heading('Title');
    expect(dumb.written()).toBe('\nTitle\n\n');
  });
});
