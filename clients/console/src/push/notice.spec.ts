import type { Approval } from '../approvals/open-approval';
import type { PermissionQuestion } from '../approvals/permission-question';
import { buildRequestNotice, MAX_TEXT_LENGTH } from './notice';

const OPTIONS = [
  { optionId: 'o1', kind: 'allow_once', name: '' },
  { optionId: 'o2', kind: 'allow_always', name: '' },
  { optionId: 'o3', kind: 'reject_once', name: '' },
];

const build = (changes: Partial<PermissionQuestion> = {}, approval: Partial<Approval> = {}) => {
  const question: PermissionQuestion = {
    title: 'Run rm -rf build',
    tool: 'execute',
    command: 'rm -rf build',
    input: '',
    diff: '',
    options: OPTIONS,
    isTruncated: false,
    ...changes,
  };
  const session = { title: 'Clean up', machineId: null, opener: null };
  return buildRequestNotice({
    session,
    question,
    form: null,
    contentHash: 'hash',
    problem: '',
    ...approval,
  } as Approval);
};

describe('the notice of a request', () => {
  it('shows all of a short request, and decides once', () => {
    expect(build()).toEqual({
      title: 'Clean up',
      body: 'execute: Run rm -rf build',
      contentHash: 'hash',
      allow: { optionId: 'o1', kind: 'allow_once' },
      reject: { optionId: 'o3', kind: 'reject_once' },
    });
  });

  it('shows a command that is not in its title, and input', () => {
    const input = '{\n  "path": "dist"\n}';
    expect(build({ title: 'Clean up', input }).body).toBe('execute: Clean up\nrm -rf build\n{"path":"dist"}');
  });

  it.each([
    { what: 'a long title', changes: { title: 'a'.repeat(MAX_TEXT_LENGTH), command: null } },
    { what: 'many lines', changes: { command: 'a\nb\nc' } },
    { what: 'changes of a file', changes: { diff: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y' } },
  ])('can not be allowed if $what would be cut', ({ changes }) => {
    const { body, allow, reject } = build(changes);
    expect([...body].length).toBeLessThanOrEqual(MAX_TEXT_LENGTH);
    expect(body).toMatch(/…$/);
    expect(allow).toBeNull();
    expect(reject).toEqual({ optionId: 'o3', kind: 'reject_once' });
  });

  it('allows a text of exactly the length, and cuts between characters', () => {
    const fitting = 'a'.repeat(MAX_TEXT_LENGTH - 'execute: '.length);
    expect(build({ title: fitting, command: null }).allow).not.toBeNull();
    expect(build({ title: '💻'.repeat(MAX_TEXT_LENGTH), command: null }).body).not.toMatch(/\p{Surrogate}/u);
  });

  it('can not be allowed if the machine has left out parts of the text', () => {
    expect(build({ isTruncated: true }).allow).toBeNull();
  });

  it('can not be allowed if the agent offers several ways to allow, or only one that lasts', () => {
    expect(build({ options: [...OPTIONS, { optionId: 'o4', kind: 'allow_once', name: 'All' }] }).allow).toBeNull();
    expect(build({ options: OPTIONS.slice(1) }).allow).toBeNull();
  });

  it('has no buttons for a question or for what this browser can not decrypt', () => {
    const form = { title: 'Which\u202e one?', message: '', schema: { properties: {}, required: [] } } as never;
    const asked = build({}, { question: null, form });
    expect(asked).toMatchObject({ body: 'A question: Which\\u{202e} one?', allow: null, reject: null });
    const closed = build({}, { question: null, problem: 'This browser has no key.' });
    expect(closed).toMatchObject({ body: 'An agent asks for permission. This browser has no key.', allow: null });
  });
});
