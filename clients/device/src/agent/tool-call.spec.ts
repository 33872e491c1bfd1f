import { ToolCall } from './tool-call';
import { MAX_TOOL_TEXT_BYTES } from './tool-output';

const text = (value: string) => ({ type: 'content', content: { type: 'text', text: value } });

function mergeUpdates(...updates: Record<string, unknown>[]): ToolCall {
  const call = new ToolCall('call-1');
  for (const update of updates) call.mergeUpdate(update);
  return call;
}

describe('a tool call', () => {
  it('keeps members that an update does not contain, and replaces the others', () => {
    const call = mergeUpdates(
      { title: 'Run', kind: 'execute', status: 'pending', rawInput: { command: 'ls' }, content: [text('one')] },
      { status: 'in_progress', title: null, rawInput: null },
      { status: 'completed', content: [text('two'), text('three')] },
    );
    expect(call.toRecord()).toEqual({
      id: 'call-1',
      title: 'Run',
      kind: 'execute',
      status: 'completed',
      output: 'two\nthree',
    });
    expect(call.toProposal().input).toEqual({ command: 'ls' });
  });

  it('is read with members of any type', () => {
    const call = mergeUpdates({ title: 7, kind: 'alchemy', status: 'done', content: [null, 'x', { type: 'diff' }] });
    expect(call.toRecord()).toEqual({ id: 'call-1', title: 'other', kind: 'other', status: 'pending', output: '' });
  });

  it.each(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'])(
    'may have the kind %s',
    (kind) => {
      const call = mergeUpdates({ kind });
      expect([call.toRecord().kind, call.toProposal().kind]).toEqual([kind, kind]);
    },
  );

  it('names the path of each file to rules, and null for what it leaves out, so that no rule allows too much', () => {
    const locations = Array.from({ length: 18 }, (_, index) => ({ path: `/srv/app/${index}` }));
    const { paths } = mergeUpdates({ locations }).toProposal();
    expect(paths).toEqual([...locations.slice(0, 16).map(({ path }) => path), null]);
    const unknown = [{ path: `/${'x'.repeat(4_096)}` }, { path: 7 }, 'x', { path: '/a\u202e' }];
    expect(mergeUpdates({ locations: unknown }).toProposal().paths).toEqual([null, null, null, '/a\u202e']);
  });

  it.each([
    [{ file_path: '/a', old_string: '/x', paths: ['/b', 7], fileName: 'c', options: { destination: '/d' } }],
    [
      {
        changes: { '/a': { type: 'update', move_path: '/b' }, c: { unified_diff: '--- /x' } },
        target: { filePath: '/d' },
      },
    ],
    [
      {
        changes: [
          { path: '/a', kind: { move_path: '/b' } },
          { path: 'c', kind: { movePath: '/d' } },
        ],
      },
    ],
  ])('names the files of its input to rules: %j', (rawInput) => {
    const { mentionedPaths } = mergeUpdates({ rawInput }).toProposal();
    expect(mentionedPaths.sort()).toEqual(['/a', '/b', '/d', 'c']);
  });

  it('names the files of its diffs to rules, and null for what it leaves out', () => {
    const diff = (path: unknown) => ({ type: 'diff', path, oldText: '', newText: 'x' });
    const getPaths = (update: Record<string, unknown>) => mergeUpdates(update).toProposal().mentionedPaths;
    expect(getPaths({ content: [diff('/a'), text('said'), diff('/b'), diff('/a'), diff(7)] })).toEqual([
      '/a',
      '/b',
      null,
    ]);
    const paths = Array.from({ length: 17 }, (_, index) => `/${index}`);
    for (const update of [{ content: paths.map(diff) }, { rawInput: { paths } }]) {
      expect(getPaths(update)).toHaveLength(17);
      expect(getPaths(update).at(-1)).toBeNull();
    }
    expect(getPaths({ rawInput: { path: 'x'.repeat(4_097) } })).toEqual([null]);
    expect(getPaths({ rawInput: { list: Array(20_000).fill(1) } })).toEqual([null]);
  });

  it('has the raw output if there is no content', () => {
    expect(mergeUpdates({ rawOutput: { code: 0 } }).toRecord().output).toBe('{\n  "code": 0\n}');
    expect(mergeUpdates({ rawOutput: 'raw', content: [text('shown')] }).toRecord().output).toBe('shown');
  });

  it('shows its whole title and its content to who decides, if the agent sends no input', () => {
    const title = `echo ${'x'.repeat(400)}\nrm -rf build`;
    expect(mergeUpdates({ title, content: [text('Removes the build.')] }).toProposal()).toMatchObject({
      title: expect.stringContaining('characters left out'),
      input: `${title}\n\nRemoves the build.`,
    });
    expect(mergeUpdates({ title: 'ls' }).toProposal().input).toBeNull();
    expect(mergeUpdates({ title, rawInput: { command: 'ls' } }).toProposal().input).toEqual({ command: 'ls' });
  });

  it('names content that is not text', () => {
    const blocks = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', name: 'a.txt', uri: 'file:///a.txt' },
      { type: 'resource', resource: { uri: 'file:///b.txt', text: 'embedded' } },
    ];
    const call = mergeUpdates({
      status: 'completed',
      content: blocks.map((content) => ({ type: 'content', content })),
    });
    expect(call.toRecord().output).toBe('[image]\n[a.txt](file:///a.txt)\nembedded');
  });

  it('truncates output, diff and input in the middle to 16 KiB each', () => {
    const long = 'ä\u001b[31m'.repeat(40_000);
    const call = mergeUpdates({
      status: 'completed',
      rawInput: { long },
      content: [text(long), { type: 'diff', path: '/a', oldText: null, newText: long }],
    });
    const { output, diff = '' } = call.toRecord();
    for (const value of [output, diff, call.toProposal().input as string]) {
      expect(Buffer.byteLength(value)).toBeLessThanOrEqual(MAX_TOOL_TEXT_BYTES);
      expect(value).toContain('bytes left out ...]');
      expect(value).not.toContain('\u001b');
    }
  });
});
