import { Subject } from 'rxjs';
import type { OrphanedCall, RelayCluster } from '../../relay-bus';
import { OrphanedCallRecorder } from './orphaned-call-recorder';
import type { RelayAuditWriter } from './relay-audit-writer';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ORPHANED_CALL: OrphanedCall = {
  accountId: 'acc_1',
  deviceId: 'dev_1',
  request: {
    requestId: 'req_1',
    method: 'machine.invoke',
    deadline: 20_000,
    timeoutMs: 10_000,
    machineId: 'mac_1',
    traceparent: TRACEPARENT,
    params: { command: 'true', args: [], cwd: null },
  },
  audit: { tokenId: 'tok_1', appId: null, requestBytes: 40, keyed: false, startedAt: 9_000 },
};

describe('OrphanedCallRecorder', () => {
  const orphanedCalls = new Subject<OrphanedCall>();
  const enqueueRow = jest.fn();

  beforeAll(() => {
    const cluster = { orphanedCalls } as unknown as RelayCluster;
    new OrphanedCallRecorder(cluster, { enqueueRow } as unknown as RelayAuditWriter).onApplicationBootstrap();
  });
  beforeEach(() => enqueueRow.mockClear());

  it('names the device that called', () => {
    const audit = { ...ORPHANED_CALL.audit, tokenId: null, callerDeviceId: 'dev_2' };
    orphanedCalls.next({ ...ORPHANED_CALL, audit });
    const row = expect.objectContaining({ tokenId: null, callerDeviceId: 'dev_2', deviceId: 'dev_1' });
    expect(enqueueRow.mock.calls).toEqual([[row]]);
  });

  it('audits a call whose origin died with an unknown outcome, and with the trace of its caller', () => {
    orphanedCalls.next(ORPHANED_CALL);
    expect(enqueueRow.mock.calls).toEqual([
      [
        {
          requestId: 'req_1',
          accountId: 'acc_1',
          method: 'machine.invoke',
          deviceId: 'dev_1',
          sessionId: null,
          machineId: 'mac_1',
          tokenId: 'tok_1',
          appId: null,
          callerDeviceId: null,
          requestBytes: 40,
          resultBytes: null,
          status: 502,
          code: 'device_disconnected',
          outcome: 'unknown',
          routeMs: null,
          deviceMs: null,
          totalMs: null,
          timedOut: false,
          createdAt: new Date(9_000),
          traceparent: TRACEPARENT,
        },
      ],
    ]);
  });
});
