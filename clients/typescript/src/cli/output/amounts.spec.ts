import { formatContext, formatCost, formatUsage } from './amounts.ts';

const USAGE = { inputTokens: 1_200, outputTokens: 42, totalTokens: 1_542, cachedInputTokens: 300 };

it('tokens are those of the input, of a cache and of the output', () => {
  expect(formatUsage(USAGE)).toBe('1,200 in, 300 cached, 42 out');
  for (const cachedInputTokens of [0, null])
    expect(formatUsage({ ...USAGE, cachedInputTokens })).toBe('1,200 in, 42 out');
  expect(formatUsage(null)).toBe('-');
});

it('costs of less than one are shown more precisely', () => {
  expect(formatCost({ amount: 0.123_456_78, currency: 'USD' })).toBe('0.123457 USD');
  expect(formatCost({ amount: 1_234.567, currency: 'EUR' })).toBe('1,234.57 EUR');
  expect(formatCost(null)).toBe('-');
});

it('a context is how full it is, or its tokens if nobody knows its size', () => {
  expect(formatContext({ used: 48_200, size: 200_000 })).toBe('24% of 200,000 tokens');
  expect(formatContext({ used: 48_200, size: 0 })).toBe('48,200 tokens');
  expect(formatContext(null)).toBe('-');
});
