import type { SessionRecord, TurnRecord } from '../content/records';

/** Older than the sign of life of an agent that works, which its device reports every 15 s at least. */
const WAITING_AFTER_MS = 45_000;

const OPEN_TEXTS: Partial<Record<TurnRecord['state'], string>> = {
  queued: 'A message waits for the agent',
  requires_action: 'The agent waits for an approval',
  lost: 'The device has been away for a while; the turn may still run',
};

/** Says what an open turn does: an agent without a sign of life waits, for example for its model. @param now Unix ms */
export function describeOpenTurn({ state, origin, lastActivityAt }: TurnRecord, now: number): string {
  if (state !== 'running') return OPEN_TEXTS[state] ?? '';
  const isWaiting = lastActivityAt !== null && now - lastActivityAt > WAITING_AFTER_MS;
  if (isWaiting) return 'The agent waits, perhaps for its model';
  return origin === 'agent' ? 'The agent is working by itself' : 'The agent is working';
}

const STOP_REASONS: Partial<Record<NonNullable<TurnRecord['stopReason']>, string>> = {
  max_tokens: 'Stopped at the limit of tokens',
  max_turn_requests: 'Stopped at the limit of requests',
  refusal: 'Stopped: the model refused',
};

const FAILURES: Partial<Record<NonNullable<TurnRecord['errorCode']>, string>> = {
  agent_auth_required: 'the agent must be signed in on its machine',
  agent_session_unavailable: 'the agent could not open the session; send the message again later',
  agent_lost: 'the agent ended in the middle',
  agent_silent: 'the agent did not answer',
  agent_error: 'the agent reported an error',
  turn_timeout: 'it took too long',
};

/** Says how a turn ended, how long it took, and what it used, as far as its agent says so. */
export function describeEndedTurn(turn: TurnRecord): string {
  const { startedAt, endedAt, usage, cost } = turn;
  const duration = startedAt !== null && endedAt !== null && formatDuration(endedAt - startedAt);
  return [describeEnd(turn), duration, usage && formatUsage(usage), cost && formatCost(cost)]
    .filter(Boolean)
    .join(' · ');
}

function describeEnd({ state, stopReason, errorCode }: TurnRecord): string {
  if (state === 'cancelled') return 'Cancelled';
  if (state === 'failed') return `Failed: ${FAILURES[errorCode!] ?? errorCode ?? 'unknown reason'}`;
  return STOP_REASONS[stopReason!] ?? 'Done';
}

/** Agents differ in whether `inputTokens` contain what came from a cache. */
function formatUsage({ inputTokens, outputTokens, cachedInputTokens }: NonNullable<TurnRecord['usage']>): string {
  const cached = cachedInputTokens ? `, ${formatCount(cachedInputTokens)} from a cache` : '';
  return `${formatCount(inputTokens)} tokens in${cached}, ${formatCount(outputTokens)} out`;
}

/** Formats small amounts to a hundredth of a cent. */
export function formatCost({ amount, currency }: NonNullable<TurnRecord['cost']>): string {
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
  return new Intl.NumberFormat('en', { ...style, maximumFractionDigits: amount < 1 ? 4 : 2 }).format(amount);
}

export function formatContext({ used, size }: NonNullable<SessionRecord['context']>): string {
  const compact = new Intl.NumberFormat('en', { notation: 'compact' });
  if (size === 0) return `${compact.format(used)} tokens of context`;
  return `${Math.round((used / size) * 100)}% of ${compact.format(size)} tokens of context`;
}

const formatCount = (count: number): string => count.toLocaleString('en');

/** Formats a duration in its largest units, such as `2 min 5 s`. */
function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
