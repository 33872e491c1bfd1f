import type { Session, Turn } from '../../index.ts';

/** Formats what a turn used as `1,200 in, 300 cached, 42 out`, and nothing as `-`. */
export function formatUsage(usage: Turn['usage']): string {
  if (!usage) return '-';
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const cached = cachedInputTokens ? [`${formatCount(cachedInputTokens)} cached`] : [];
  return [`${formatCount(inputTokens)} in`, ...cached, `${formatCount(outputTokens)} out`].join(', ');
}

/** Formats a cost as `0.0425 USD`, and none as `-`. */
export function formatCost(cost: Turn['cost']): string {
  if (!cost) return '-';
  const amount = cost.amount.toLocaleString('en', { maximumFractionDigits: cost.amount < 1 ? 6 : 2 });
  return `${amount} ${cost.currency}`;
}

/** Formats how full a context is as `24% of 200,000 tokens`, and none as `-`. */
export function formatContext(context: Session['context']): string {
  if (!context) return '-';
  const { used, size } = context;
  if (size === 0) return `${formatCount(used)} tokens`;
  return `${Math.round((used / size) * 100)}% of ${formatCount(size)} tokens`;
}

const formatCount = (count: number): string => count.toLocaleString('en');
