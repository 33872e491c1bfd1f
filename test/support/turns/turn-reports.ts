import { generateId } from '../../../src/common/ids';
import type { HttpResponse } from '../http-client';
import type { ForeignDevice } from '../device/foreign-device';

/** Bodies of `PUT /v1/sessions/{id}/turns/{localId}` by state, without their revision. */
const REPORTS = {
  queued: {},
  running: { startedAt: 1_788_255_000_000 },
  requires_action: { startedAt: 1_788_255_000_000, pendingPermissions: 1 },
  completed: { startedAt: 1_788_255_000_000, endedAt: 1_788_255_060_000, stopReason: 'end_turn' },
  failed: { startedAt: 1_788_255_000_000, endedAt: 1_788_255_060_000, errorCode: 'agent_error' },
  cancelled: { startedAt: null, endedAt: 1_788_255_060_000, stopReason: 'cancelled' },
};
export type ReportedState = keyof typeof REPORTS;

export function buildTurnReport(state: ReportedState, revision: number, change: object = {}): object {
  return {
    revision,
    state,
    stopReason: null,
    errorCode: null,
    pendingPermissions: 0,
    usage: null,
    startedAt: null,
    endedAt: null,
    ...REPORTS[state],
    ...change,
  };
}

/** Turn as its device reports it, with a revision that grows with each report. */
export class ReportedTurn {
  readonly requestId = generateId('req');
  readonly id = this.requestId.replace('req_', 'turn_');
  private revision = 0;

  constructor(
    private readonly device: ForeignDevice,
    private readonly sessionId: string,
  ) {}

  get devicePath(): string {
    return `/v1/sessions/${this.sessionId}/turns/${this.requestId}`;
  }

  get path(): string {
    return `/external/v1/sessions/${this.sessionId}/turns/${this.id}`;
  }

  report(state: ReportedState, change: object = {}): Promise<HttpResponse> {
    this.revision += 1;
    return this.put(buildTurnReport(state, this.revision, change));
  }

  put(body: object, by: ForeignDevice = this.device): Promise<HttpResponse> {
    return this.device.http.request('PUT', this.devicePath, { token: by.token, json: body });
  }
}
