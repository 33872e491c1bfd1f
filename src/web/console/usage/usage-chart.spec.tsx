import { renderToString } from 'preact-render-to-string';
import { HOUR } from '../../../common/clock';
import { UsageChart } from './usage-chart';
import type { UsagePeriod } from './usage-periods';

const TEN_O_CLOCK = Date.UTC(2026, 10, 21, 10);
const period = (hour: number, requests: number, errors = 0): UsagePeriod => ({
  start: TEN_O_CLOCK + hour * HOUR,
  calls: { metadata: requests, relay: 0 },
  requests,
  errors,
  rateLimited: 0,
});

describe('the description of the chart', () => {
  const describeChart = (...periods: UsagePeriod[]) => {
    const html = renderToString(<UsageChart granularity="hour" periods={periods} title="x" markInterval={1} />);
    return /<desc[^>]*>([^<]*)/.exec(html)![1];
  };

  it('sums up the calls, and names the busiest hour', () => {
    expect(describeChart(period(0, 1), period(1, 1_234, 2), period(2, 3))).toBe(
      '1,238 calls (1,238 metadata, 0 relay), 2 errors in total. Busiest hour: 1,234, 21 Nov, 11:00 UTC.',
    );
  });

  it('counts one call with one error, and none', () => {
    expect(describeChart(period(0, 1, 1))).toMatch(/^1 call \(1 metadata, 0 relay\), 1 error in total\. /);
    expect(describeChart(period(0, 0))).toBe('0 calls (0 metadata, 0 relay), 0 errors in total.');
  });
});
