import { ToolCall } from './tool-call';
import { MAX_TOOL_TEXT_BYTES } from './tool-output';
import { TerminalOutputs } from './terminal-outputs';

const text = (value: string) => ({ type: 'content', content: { type: 'text', text: value } });
const terminal = (terminalId: string) => ({ type: 'terminal', terminalId });
const output = (id: string, data: string) => ({ _meta: { terminal_output: { terminal_id: id, data } } });
const delta = (id: string, data: string) => ({ _meta: { terminal_output_delta: { terminal_id: id, data } } });
const exit = (id: string, code: number) => ({
  _meta: { terminal_exit: { terminal_id: id, exit_code: code, signal: null } },
});

function record(...updates: Record<string, unknown>[]) {
  const call = new ToolCall('call-1');
  for (const update of updates) call.mergeUpdate({ sessionUpdate: 'tool_call_update', ...update });
  return call.toRecord();
}

const BEGIN = { sessionUpdate: 'tool_call', title: 'ls', kind: 'execute', status: 'pending' };
const DESCRIBED = { ...BEGIN, content: [text('Run a command')] };
const DONE = { status: 'completed' };

describe('the output of a tool call', () => {
  it.each<[string, Record<string, unknown>[], string]>([
    ['content with the last status', [DESCRIBED, { ...DONE, content: [text('out')], rawOutput: 'raw' }], 'out'],
    ['rawOutput with the last status', [DESCRIBED, { ...DONE, rawOutput: '(no output)' }], '(no output)'],
    ['rawOutput instead of empty content', [DESCRIBED, { ...DONE, content: [], rawOutput: 'raw' }], 'raw'],
    [
      'rawOutput instead of earlier content',
      [BEGIN, { status: 'in_progress', content: [text('half')] }, { ...DONE, rawOutput: 'whole' }],
      'whole',
    ],
    ['rawOutput of before', [DESCRIBED, { status: 'in_progress', rawOutput: 'raw' }, DONE], 'raw'],
    ['content while the tool ran', [DESCRIBED, { status: 'in_progress', content: [text('out')] }, DONE], 'out'],
    ['content after it had begun', [{ ...BEGIN, status: 'in_progress' }, { content: [text('out')] }, DONE], 'out'],
    [
      'nothing, never a description',
      [DESCRIBED, { content: [text('Removes it')] }, { status: 'in_progress' }, DONE],
      '',
    ],
    ['nothing, also if the call began at once', [{ ...DESCRIBED, status: 'in_progress' }, DONE], ''],
    ['a call that is reported once', [{ ...DESCRIBED, ...DONE, content: [text('out')] }], 'out'],
    [
      'blocks without their wrapping',
      [BEGIN, { ...DONE, content: [{ type: 'text', text: 'a' }, { type: 'chart' }, null] }],
      'a\n[chart]\n',
    ],
  ])('is %s', (_, updates, expected) => {
    expect(record(...updates).output).toBe(expected);
  });

  it('is what a terminal has shown, in pieces that are cut anywhere', () => {
    const pieces = [...'one\r\n'].map((piece) => delta('t1', piece));
    const written = [...pieces, delta('t1', 'two \ud83d'), delta('t1', '\ude00\u001b[0m')];
    expect(record({ ...BEGIN, content: [terminal('t1')] }, ...written, { ...DONE, ...exit('t1', 3) })).toMatchObject({
      output: 'one\ntwo 😀\\u{1b}[0m',
      exitCode: 3,
    });
    expect(record(BEGIN, output('t1', 'a'), output('t1', 'a\n'), { ...DONE, ...exit('t1', 0) })).toMatchObject({
      output: 'aa\n',
      exitCode: 0,
    });
  });

  it('has the whole output once, if it comes after its pieces or as content too', () => {
    expect(record(BEGIN, delta('t1', 'a'), { ...DONE, ...output('t1', 'ab') }).output).toBe('ab');
    expect(record(BEGIN, delta('t1', 'ab\n'), { ...DONE, content: [text('ab')], rawOutput: 'ab' }).output).toBe('ab');
  });

  it('has each terminal in its place, and those that the content does not name at the end', () => {
    const content = [text('First:'), terminal('t1'), text('Second:'), terminal('t2')];
    const written = [delta('t2', 'two'), delta('t1', 'one'), delta('t3', 'three')];
    expect(record(BEGIN, ...written, { ...DONE, content }).output).toContain('First:\none\nSecond:\ntwo');
    expect(record(BEGIN, delta('t1', 'one'), { ...DONE, content: [text('Exit 1')] }).output).toBe('Exit 1\none');
  });

  it('belongs to the terminal, whichever call it is sent with, and to the call if no terminal is named', () => {
    const terminals = new TerminalOutputs(MAX_TOOL_TEXT_BYTES);
    const [first, second] = [new ToolCall('a', terminals), new ToolCall('b', terminals)];
    first.mergeUpdate({ sessionUpdate: 'tool_call_update', status: 'in_progress', ...delta('t1', 'shared') });
    second.mergeUpdate({ sessionUpdate: 'tool_call_update', ...DONE, content: [terminal('t1')] });
    expect(second.toRecord().output).toBe('shared');
    expect(record(BEGIN, { ...DONE, _meta: { terminal_output_delta: { data: 'own' } } }).output).toBe('own');
  });

  it('is bounded, however much a terminal shows', () => {
    const terminals = Array.from({ length: 30 }, (_, index) => terminal(`t${index}`));
    const written = terminals.flatMap(({ terminalId }) => Array(50).fill(delta(terminalId, 'é'.repeat(2_000))));
    const { output: shown } = record({ ...BEGIN, content: terminals }, ...(written as Record<string, unknown>[]), DONE);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(MAX_TOOL_TEXT_BYTES);
    expect(shown).toContain('bytes left out ...]');
  });

  it.each([
    [{ exit_code: 2, output: 'x' }, 2],
    [{ metadata: { exit: 0 } }, 0],
    [{ exitCode: '1' }, undefined],
  ])('has the exit code of a raw output: %j', (rawOutput, exitCode) => {
    expect(record(BEGIN, { ...DONE, rawOutput }).exitCode).toBe(exitCode);
  });
});

it('names the files that a tool call is about', () => {
  const locations = [{ path: '/a.ts', line: 7 }, { path: '/b\u202e.ts' }, { path: '' }, 3, { path: 'c', line: -1 }];
  expect(record({ ...BEGIN, locations }).locations).toEqual([
    { path: '/a.ts', line: 7 },
    { path: '/b\\u{202e}.ts' },
    { path: 'c' },
  ]);
});
