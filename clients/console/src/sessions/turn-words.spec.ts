import { TURN_ERROR_CODES } from '@external-api/protocol';
import type { TurnRecord } from '../content/records';
import { describeEndedTurn, describeOpenTurn, formatContext, formatCost } from './turn-words';

const NOW = 1_800_000_000_000;
const createTurn = (changed: Partial<TurnRecord>): TurnRecord =>
  ({
    state: 'completed',
    origin: 'message',
    stopReason: 'end_turn',
    errorCode: null,
    usage: null,
    cost: null,
    startedAt: NOW,
    lastActivityAt: null,
    endedAt: NOW + 4_400,
    ...changed,
  }) as TurnRecord;

describe('an open turn', () => {
  it.each<[string, Partial<TurnRecord>]>([
    ['The agent is working', { lastActivityAt: null }],
    ['The agent is working', { lastActivityAt: NOW - 30_000 }],
    ['The agent waits, perhaps for its model', { lastActivityAt: NOW - 60_000 }],
    ['The agent is working by itself', { origin: 'agent', lastActivityAt: NOW }],
    ['The agent waits for an approval', { state: 'requires_action', lastActivityAt: NOW - 60_000 }],
    ['A message waits for the agent', { state: 'queued' }],
    ['The device has been away for a while; the turn may still run', { state: 'lost' }],
  ])('reads %j: %j', (text, changed) => {
    expect(describeOpenTurn(createTurn({ state: 'running', ...changed }), NOW)).toBe(text);
  });
});

describe('an ended turn', () => {
  const usage = { inputTokens: 1_200, outputTokens: 42, totalTokens: 1_542, cachedInputTokens: 300 };

  it.each<[string, Partial<TurnRecord>]>([
    ['Done · 4 s', {}],
    ['Done', { startedAt: null }],
    ['Done · 2 min 5 s', { endedAt: NOW + 125_000 }],
    ['Done · 1 h 30 min', { endedAt: NOW + 5_400_000 }],
    ['Done · 4 s · 1,200 tokens in, 300 from a cache, 42 out', { usage }],
    ['Done · 4 s · 1,200 tokens in, 42 out', { usage: { ...usage, cachedInputTokens: null } }],
    ['Done · 4 s · $0.0425', { cost: { amount: 0.0425, currency: 'USD' } }],
    ['Stopped at the limit of tokens · 4 s', { stopReason: 'max_tokens' }],
    ['Stopped at the limit of requests · 4 s', { stopReason: 'max_turn_requests' }],
    ['Stopped: the model refused · 4 s', { stopReason: 'refusal' }],
    ['Cancelled · 4 s', { state: 'cancelled', stopReason: 'cancelled' }],
    ['Failed: the agent ended in the middle · 4 s', { state: 'failed', stopReason: null, errorCode: 'agent_lost' }],
    ['Failed: new_code · 4 s', { state: 'failed', errorCode: 'new_code' as TurnRecord['errorCode'] }],
  ])('reads %j: %j', (text, changed) => {
    expect(describeEndedTurn(createTurn(changed))).toBe(text);
  });

  it.each(TURN_ERROR_CODES)('has words for the failure %s', (errorCode) => {
    expect(describeEndedTurn(createTurn({ state: 'failed', errorCode }))).toMatch(/^Failed: (the agent|it) /);
  });
});

it('formats costs of any currency', () => {
  expect(formatCost({ amount: 12.345, currency: 'EUR' })).toBe('€12.35');
  expect(formatCost({ amount: 0.5, currency: 'USD' })).toBe('$0.50');
  expect(formatCost({ amount: 0.00001, currency: 'USD' })).toBe('$0.00');
  expect(formatCost({ amount: 3, currency: 'XQZ' })).toBe('XQZ\u00a03.00');
});

it('formats how full a context is', () => {
  expect(formatContext({ used: 48_200, size: 200_000 })).toBe('24% of 200K tokens of context');
  expect(formatContext({ used: 48_200, size: 0 })).toBe('48K tokens of context');
});
