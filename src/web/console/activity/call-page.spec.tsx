import { renderToString } from 'preact-render-to-string';
import type { RelayActivityEntry } from '../../../modules/relay';
import { CallPage } from './call-page';

const CALL: RelayActivityEntry = {
  requestId: 'req_1',
  method: 'machine.invoke',
  callerKind: 'token',
  callerId: 'tok_1',
  callerName: 'ci',
  deviceId: 'dev_1',
  deviceName: 'build box',
  sessionId: null,
  machineId: null,
  status: 200,
  code: null,
  outcome: null,
  requestBytes: 1_234,
  resultBytes: 56,
  routeMs: 7,
  deviceMs: 80,
  totalMs: 87,
  timedOut: false,
  createdAt: 0,
};

/** Returns the HTML of each fact by its name. */
function readFacts(change: Partial<RelayActivityEntry>): Record<string, string> {
  const html = renderToString(<CallPage call={{ ...CALL, ...change }} machineNames={new Map()} />);
  return Object.fromEntries(
    [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, fact]) => [name, fact]),
  );
}

describe('the page of a call', () => {
  it('tells the sizes, and the time at the device from the time on the way', () => {
    expect(readFacts({})).toMatchObject({
      Size: '1,234 bytes sent, 56 bytes received',
      Duration: '87 ms in total, 80 ms at the device, 7 ms on the way',
    });
    expect(readFacts({ resultBytes: null, deviceMs: null })).toMatchObject({
      Size: '1,234 bytes sent, nothing received',
      Duration: '87 ms in total, – at the device, 7 ms on the way',
    });
  });

  it.each([
    ['links to a token', 'Token', { callerKind: 'token' }, '<a href="/console/tokens/tok_1">ci</a>'],
    ['names an app', 'App', { callerKind: 'app', callerId: 'svc_oapp_1', callerName: 'Notes' }, 'Notes'],
    ['has the ID of a deleted token', 'Token', { callerName: null }, 'deleted (tok_1)'],
    ['has the ID of a deleted device', 'Device', { deviceName: null }, 'deleted (dev_1)'],
  ] as const)('%s', (_, name, change, fact) => {
    expect(readFacts(change)[name]).toBe(fact);
  });

  it.each([
    [{ status: 200 }, 'good">done'],
    [{ status: 200, timedOut: true }, 'bad">timed out'],
    [{ status: 504, outcome: 'unknown' }, 'waiting">unknown'],
    [{ status: 503, outcome: 'not_delivered' }, 'bad">not delivered'],
    [{ status: 502, outcome: 'answered' }, 'bad">device error'],
    [{ status: 403, outcome: null }, 'bad">refused'],
  ] as const)('shows the outcome of %j', (change, badge) => {
    expect(readFacts(change).Outcome).toContain(badge);
  });
});
