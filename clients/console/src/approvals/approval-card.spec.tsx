import { render } from 'preact-render-to-string';
import type { AccountApi } from '../content/account-api';
import { ApprovalCard } from './approval-card';
import { ApprovalDecision } from './approval-decisions';
import type { Approval } from './open-approval';
import type { PermissionQuestion } from './permission-question';

const QUESTION: PermissionQuestion = {
  title: 'Run the tests',
  tool: 'execute',
  command: null,
  input: '',
  diff: '',
  options: [{ optionId: 'o1', kind: 'allow_once', name: 'Allow' }],
  isTruncated: false,
};

function show(changes: Partial<PermissionQuestion> | null, problem = ''): string {
  const record = { id: 'perm_1', sessionId: 'ses_1', kind: 'execute', state: 'pending', options: [], expiresAt: 0 };
  const approval = {
    record,
    session: { title: 'Tests', machineId: null, opener: null },
    question: changes && { ...QUESTION, ...changes },
    form: null,
    problem,
    decision: new ApprovalDecision(),
  } as unknown as Approval;
  const props = { api: {} as AccountApi, machineNames: null, onDecided: () => undefined };
  return render(<ApprovalCard {...props} approval={approval} />);
}

const listButtons = (html: string) =>
  [...html.matchAll(/<button([^>]*)>(.*?)<\/button>/g)].map(([, attributes, content]) => {
    const [name, ...more] = content!.split(/(?:<[^>]+>)+/).filter(Boolean);
    return [name, ...more, ...(/\bdisabled\b/.test(attributes!) ? ['(disabled)'] : [])].join(' / ');
  });

describe('the card of a request', () => {
  it('offers what decides once before what lasts, in words of the page', () => {
    const options = [
      { optionId: 'o1', kind: 'reject_always', name: 'Never' },
      { optionId: 'o2', kind: 'later_kind', name: 'Ask me' },
      { optionId: 'o3', kind: 'allow_always', name: 'Always allow' },
      { optionId: 'o4', kind: 'reject_once', name: 'Allow' },
      { optionId: 'o5', kind: 'allow_once', name: '' },
    ];
    const html = show({ options });
    expect(listButtons(html)).toEqual([
      'Allow',
      'Reject / Allow',
      'Always allow',
      'Always reject / Never',
      'Choose / Ask me',
    ]);
    expect(html).toContain('“Always” is remembered by the agent');
    expect(show({})).not.toContain('“Always”');
  });

  it('warns of what the machine has left out', () => {
    expect(show({ isTruncated: true })).toContain('The machine has left out parts of this text.');
    expect(show({})).not.toContain('left out');
  });

  it('can not be decided without what is asked', () => {
    const html = show(null, 'This browser has no key.');
    expect(listButtons(html)).toEqual(['Allow / (disabled)', 'Reject / (disabled)']);
    for (const text of ['A question of the kind “execute”', 'This browser has no key.', 'You can’t decide here'])
      expect(html).toContain(text);
  });
});
