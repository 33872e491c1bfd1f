import { renderToString } from 'preact-render-to-string';
import type { WebhookDto } from '../../../../modules/webhooks';
import { NextAttempt, OpenCircuitNotice } from './delivery-parts';

const NOW = Date.UTC(2026, 0, 31, 19, 19);
const SOON = NOW + 60_000;
const LATER = NOW + 300_000;
const webhook = (state: WebhookDto['state'] = 'active') => ({ state }) as WebhookDto;

describe('the next attempt of a delivery', () => {
  const render = (nextAttemptAt: number, probeAt: number | null, state?: WebhookDto['state']) =>
    renderToString(
      <NextAttempt delivery={{ nextAttemptAt }} webhook={webhook(state)} probeAt={probeAt} now={NOW} />,
    ).replaceAll(/<time[^>]*>|<\/time>/g, '');

  it.each([
    ['its own time while the endpoint works', LATER, null, /^31 Jan 2026, 19:24 UTC$/],
    ['now if it is due', NOW - 120_000, null, /^now$/],
    [
      'held if it is due while the endpoint fails',
      NOW - 120_000,
      SOON,
      /^held: .*, next attempt 31 Jan 2026, 19:20 UTC$/,
    ],
    ['held if the attempt of the failing endpoint is due', NOW - 120_000, NOW - 1, /^held: .*, next attempt now$/],
    ['its own time if that is after the next attempt of the failing endpoint', LATER, SOON, /^31 Jan 2026, 19:24 UTC$/],
  ])('is %s', (_, nextAttemptAt, probeAt, text) => {
    expect(render(nextAttemptAt, probeAt)).toMatch(text);
  });

  it.each(['paused', 'disabled'] as const)('waits for a %s webhook', (state) => {
    expect(render(NOW - 120_000, SOON, state)).toBe('when the webhook is resumed');
  });

  it.each([
    ['active', null],
    ['paused', SOON],
  ] as const)('needs no notice for a webhook that is %s', (state, probeAt) => {
    expect(renderToString(<OpenCircuitNotice webhook={webhook(state)} probeAt={probeAt} now={NOW} />)).toBe('');
  });
});
