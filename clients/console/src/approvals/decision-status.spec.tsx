import { render } from 'preact-render-to-string';
import type { PermissionRecord } from '../content/records';
import { FinalState } from './decision-status';

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
