import type { ReadOutputParams, RelayRequest } from '@external-api/protocol';
import type { DeviceAnswer } from '../../relay-bus';
import { checkAnswer, checkLateAnswer } from './method-result';

const SUFFIX = '01kpmvv80hfdssm8wysxkm8fea';
const TURN = { id: `turn_${SUFFIX}`, state: 'running', stopReason: null };
const SESSION = { sessionId: `ses_${SUFFIX}`, turn: null };
const PARAMS: ReadOutputParams = { invocationId: `inv_${SUFFIX}`, stream: 'stdout', offset: 2, limit: 4 };
const OUTPUT = { stream: 'stdout', offset: 2, nextOffset: 5, totalBytes: 9, data: 'YWJj', eof: false };

const OPTION = { id: 'model', name: 'Model', category: null, type: 'select', value: null, values: [] };
const OFFER = { options: [OPTION], commands: [{ name: 'compact', description: '' }] };

const toRequest = (method: string) => ({ requestId: `req_${SUFFIX}`, method, params: PARAMS }) as RelayRequest;
const toAnswer = (result: Record<string, unknown>): DeviceAnswer => ({ kind: 'result', result, bytes: 0 });

describe('the result of a method', () => {
  it.each<[string, Record<string, unknown>]>([
    ['session.message', { accepted: true, messageId: null, reply: null }],
    ['session.message', { accepted: true, messageId: null, reply: null, turn: null }],
    ['session.message', { turn: { ...TURN, state: 'completed', stopReason: 'end_turn' }, more: [1] }],
    ['session.start', SESSION],
    ['session.start', { ...SESSION, turn: TURN }],
    ['session.start', { ...SESSION, agentState: 'ready' }],
    ['session.start', { ...SESSION, agentState: 'starting' }],
    ['session.start', { ...SESSION, grant: { id: `grt_${SUFFIX}` } }],
    ['session.start', { ...SESSION, grant: null, grantError: { code: 'grants_disabled', message: 'No.' } }],
    ['session.cancel', { state: 'cancelled' }],
    ['session.end', { state: 'ended' }],
    ['session.options', { options: [], commands: [] }],
    ['session.configure', OFFER],
    ['session.permission', { state: 'allowed', optionId: 'o1' }],
    ['session.permission', { state: 'cancelled', optionId: null }],
    ['session.permission', { state: 'rejected', optionId: 'o2', turn: { ...TURN, state: 'queued' } }],
    ['agent.sessions', { sessions: [], nextCursor: null, problems: [] }],
    ['invocation.cancel', { state: 'timed_out' }],
    ['invocation.output', OUTPUT],
    ['machine.invoke', { anything: 7 }],
  ])('is passed on: %s %j', (method, result) => {
    expect(checkAnswer(toRequest(method), toAnswer(result))).toEqual(toAnswer(result));
    expect(checkLateAnswer(toRequest(method), toAnswer(result))).toEqual(toAnswer(result));
  });

  it.each<[string, Record<string, unknown>]>([
    ['session.message', { turn: {} }],
    ['session.message', { turn: 'running' }],
    ['session.message', { turn: { ...TURN, id: 'turn_01kpmvv80hfdssm8wysxkm8feb' } }],
    ['session.message', { turn: { ...TURN, state: 'done' } }],
    ['session.message', { turn: { ...TURN, stopReason: 'bored' } }],

    ['session.start', {}],
    ['session.start', { ...SESSION, sessionId: 7 }],
    ['session.start', { ...SESSION, sessionId: `art_${SUFFIX}` }],
    ['session.start', { ...SESSION, sessionId: '../machines' }],
    ['session.start', { sessionId: SESSION.sessionId }],
    ['session.start', { ...SESSION, turn: { ...TURN, id: null } }],
    ['session.start', { ...SESSION, agentState: 'idle' }],
    ['session.start', { ...SESSION, agentState: null }],
    ['session.start', { ...SESSION, grant: true }],
    ['session.start', { ...SESSION, grant: { id: `ses_${SUFFIX}` } }],
    ['session.start', { ...SESSION, grant: null }],
    ['session.start', { ...SESSION, grant: null, grantError: { code: 'grant_failed' } }],
    ['session.cancel', {}],
    ['session.cancel', { state: 'ended' }],
    ['session.cancel', { state: ['cancelled'] }],
    ['session.end', { state: 'active' }],
    ['session.options', {}],
    ['session.options', { ...OFFER, options: { model: 'opus' } }],
    ['session.options', { ...OFFER, options: [{ ...OPTION, value: 7 }] }],
    ['session.configure', { ...OFFER, options: [{ ...OPTION, values: [null] }] }],
    ['session.configure', { ...OFFER, commands: [{ name: 'compact' }] }],
    ['session.permission', { state: 'allowed' }],
    ['session.permission', { state: 'granted', optionId: 'o1' }],
    ['session.permission', { state: 'allowed', optionId: 1 }],
    ['session.permission', { state: 'rejected', optionId: 'o2', turn: { ...TURN, id: `turn_${'0'.repeat(26)}` } }],
    ['invocation.cancel', { state: 'requires_action' }],
  ])('is refused: %s %j', (method, result) => {
    const refused = { kind: 'error', error: { code: 'invalid_answer', message: expect.any(String) } };
    expect(checkAnswer(toRequest(method), toAnswer(result))).toEqual(refused);
    expect(checkLateAnswer(toRequest(method), toAnswer(result))).toEqual(refused);
  });

  it('of a start that asked for a grant must say what became of it', () => {
    const start = { ...toRequest('session.start'), params: { grant: { tokenId: 'tok_1', recipient: null } } };
    const granted = toAnswer({ ...SESSION, grant: { id: `grt_${SUFFIX}` } });
    expect(checkAnswer(start as RelayRequest, granted)).toBe(granted);
    expect(checkAnswer(start as RelayRequest, toAnswer(SESSION))).toMatchObject({ error: { code: 'invalid_answer' } });
  });

  it('of a device that refuses is passed on', () => {
    const refusal: DeviceAnswer = { kind: 'error', error: { code: 'busy', message: 'Too many.' } };
    expect(checkAnswer(toRequest('session.end'), refusal)).toBe(refusal);
  });
});
