import { render } from 'preact-render-to-string';
import { MessageItem, ToolCallDetails } from './message-item';
import type { OpenedMessage, ToolCall } from './opened-message';

const toText = (html: string) => html.replace(/<[^>]+>/g, '|').replace(/\s*\|[\s|]*/g, '|');

describe('a message of a session', () => {
  const show = (role: OpenedMessage['role'], body: OpenedMessage['body']) =>
    toText(render(<MessageItem message={{ role, body, createdAt: 0, seq: 1 } as OpenedMessage} />));

  it.each<[OpenedMessage['role'], string]>([
    ['user', 'You'],
    ['assistant', 'Agent'],
    ['system', 'Device'],
    ['tool', 'Tool'],
  ])('of the role %s names its author', (role, author) => {
    expect(show(role, { kind: 'text', text: 'Hello.' })).toBe(`|${author}|Hello.|`);
  });

  it('is cut after 8,000 characters', () => {
    const text = 'x'.repeat(8_000);
    expect(show('user', { kind: 'text', text })).toBe(`|You|${text}|`);
    expect(show('user', { kind: 'text', text: `${text}x` })).toBe(`|You|${text} …|Show all (9 kB)|`);
  });

  it('that is no text is its type and its size', () => {
    expect(show('assistant', { kind: 'binary', mediaType: 'image/png', size: 5 })).toBe('|Agent|image/png, 5 bytes|');
  });
});

describe('a tool call', () => {
  const show = (changes: Partial<ToolCall>, isRunning = false) => {
    const toolCall = { title: 'npm test', kind: 'execute', status: 'completed', output: '', exitCode: 0, diff: '' };
    return render(<ToolCallDetails toolCall={{ ...toolCall, ...changes }} isRunning={isRunning} />);
  };

  it('that failed has its state and its exit code', () => {
    const html = show({ status: 'failed', exitCode: 2 });
    expect(toText(html)).toBe('|npm test|execute|failed|exit code 2|No output|');
    expect(html).toContain('class="badge bad"');
    expect(toText(show({}))).toBe('|npm test|execute|completed|No output|');
  });

  it('is open while it runs', () => {
    expect(show({}, true)).toMatch(/^<details class="tool-call" open(="")?>/);
    expect(toText(show({}, true))).toBe('|npm test|execute|No output yet|');
    expect(show({})).toMatch(/^<details class="tool-call">/);
  });
});
