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
  const status = (isSuccess: boolean) =>
    render(<DecisionStatus record={record} result={{ state: 'final', isSuccess, text: 'Too late.' }} />);
  expect(status(false)).toBe('<p class="notice problem" role="status">Too late. Rejected.</p>');
  expect(status(true)).toBe('<p class="notice" role="status">Too late. </p>');
});
