import type { Turn } from '../index.ts';
import { Terminal } from './output/terminal.ts';
import { styleTurnState } from './turns.ts';

describe('the state of a turn on a terminal', () => {
  const { isTTY } = process.stdout;
  beforeEach(() => {
    jest.replaceProperty(process, 'env', { ...process.env, NO_COLOR: '', TERM: 'xterm' });
    process.stdout.isTTY = true;
  });
  afterEach(() => {
    process.stdout.isTTY = isTTY;
    jest.restoreAllMocks();
  });

  it.each([
    ['completed', '\x1b[32mcompleted\x1b[0m'],
    ['requires_action', '\x1b[33mrequires action\x1b[0m'],
    ['sent_elsewhere', 'sent elsewhere'],
  ])('has its colour, and none if a later release has added it: %s', (state, shown) => {
    expect(styleTurnState(new Terminal(), state as Turn['state'])).toBe(shown);
  });
});
