import { render } from 'preact-render-to-string';
import type { PermissionRecord } from '../content/records';
import { DeciderNames } from './decider-name';
import { DecisionStatus, FinalState } from './decision-status';

const OPTIONS = [{ optionId: 'allow', kind: 'allow_once' }];
const show = (state: PermissionRecord['state'], options: object[]) =>
  render(<FinalState record={{ state, options, decidedBy: undefined, decidedAt: null } as never} />);

describe('the end of a request', () => {
  it.each<[PermissionRecord['state'], object[], string]>([
    ['allowed', OPTIONS, 'Allowed.'],
    ['rejected', OPTIONS, 'Rejected.'],
    ['expired', OPTIONS, 'Nobody decided in time, so the agent was told no.'],
    ['cancelled', OPTIONS, 'The turn has ended or was cancelled, so nobody has to decide.'],
    ['allowed', [], 'Answered.'],
    ['rejected', [], 'Declined.'],
    ['expired', [], 'Nobody answered in time, so the agent went on without an answer.'],
    ['pending', [], ''],
  ])('is said in the words of a request or of a question: %s %j', (state, options, text) => {
    expect(show(state, options)).toBe(text);
  });
});

it.each([
  [null, 'Allowed by the machine itself.'],
  [{ tokenId: 'tok_1', deviceId: null }, 'Allowed by the token de\\u{202e}ploys.'],
  [{ tokenId: null, deviceId: 'dev_01m7aaaaaaaaaaaaaaaa4k2q' }, 'Allowed by your device dev_01m7…4k2q.'],
])('names who has decided, with nothing hidden: %j', (decidedBy, text) => {
  const record = { state: 'allowed', options: OPTIONS, decidedBy, decidedAt: null } as never;
  const html = render(
    <DeciderNames.Provider value={{ tok_1: 'de\u202eploys' }}>
      <FinalState record={record} />
    </DeciderNames.Provider>,
  );
  expect(html.replace(/<[^>]+>/g, '')).toBe(text);
});

it('says how the request ended behind a decision that did not count', () => {
  const record = { state: 'rejected', options: OPTIONS, decidedBy: undefined, decidedAt: null } as never;
  const status = (isSuccess: boolean, unsentText = '') =>
    render(
      <DecisionStatus
        record={record}
        decision={{ result: { state: 'final', isSuccess, text: 'Too late.' }, unsentText }}
      />,
    );
  expect(status(false)).toBe('<p class="notice problem"><span role="status">Too late. Rejected</span>.</p>');
  expect(status(true)).toBe('<p class="notice"><span role="status">Too late.</span></p>');
  expect(status(false, 'Use b.')).toContain('was not sent:</p><p class="question-text"><bdi>Use b.</bdi></p>');
});

it('is no part of what screen readers say when only its time changes', () => {
  const record = { state: 'rejected', options: OPTIONS, decidedBy: undefined, decidedAt: 1 } as never;
  const html = render(<DecisionStatus record={record} decision={{ result: undefined, unsentText: '' }} />);
  expect(html).toMatch(/<span role="status">Rejected<\/span> <time[^>]*><\/time>\.<\/p>$/);
});
