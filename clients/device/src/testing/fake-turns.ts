import { computeTurnId, isFinalTurnState, type PermissionRequestReport, type TurnReport } from '@external-api/protocol';
import { FakeServiceError } from './fake-accounts';

type StoredReport<T> = T & { sessionId: string; localId: string; deviceId: string };

/** Turns and permission requests of the fake service, after docs/protocol/agents.md. */
export class FakeTurns {
  readonly turns = new Map<string, StoredReport<TurnReport>>();
  readonly permissionRequests = new Map<string, StoredReport<PermissionRequestReport>>();
  /** All states of turns in the order in which they were stored, as `req_1 running`. */
  readonly storedStates: string[] = [];
  /** Returns the error of a report, if it should fail. */
  getReportError: ((path: string, report: unknown) => FakeServiceError | undefined) | undefined;

  /** Returns undefined for a route that is not of turns. */
  handleRoute(route: string, body: unknown, deviceId: string): { data: unknown } | undefined {
    const [method = '', url = ''] = route.split(' ');
    const [, sessionId = '', kind, localId = ''] =
      /^\/v1\/sessions\/(\w+)\/(turns|permission-requests)(?:\/([^/?]+))?/.exec(url) ?? [];
    if (!kind) return undefined;
    const state = new URL(url, 'http://fake').searchParams.get('state');
    if (method === 'GET') return kind === 'turns' ? this.listTurns(sessionId, state) : this.listPermissions(sessionId);
    const error = this.getReportError?.(url, body);
    if (error) throw error;
    const id = decodeURIComponent(localId);
    const place = { sessionId, localId: id, deviceId };
    if (kind === 'turns') return this.storeTurn(id, { ...(body as TurnReport), ...place });
    return this.storePermission(id, { ...(body as PermissionRequestReport), ...place });
  }

  getActivity(sessionId: string): string {
    const ofSession = [...this.turns.values()].filter((turn) => turn.sessionId === sessionId);
    return ofSession.some(({ state }) => !isFinalTurnState(state)) ? 'running' : 'idle';
  }

  private storeTurn(id: string, report: StoredReport<TurnReport>) {
    const known = this.turns.get(id);
    if (known?.revision === report.revision && !isFinalTurnState(known.state))
      known.lastActivityAt = report.lastActivityAt ?? known.lastActivityAt;
    if (known && known.revision >= report.revision) return { data: known };
    if (known && ['completed', 'failed', 'cancelled'].includes(known.state))
      throw new FakeServiceError(409, 'conflict');
    if (known?.state === 'queued' && ['completed', 'requires_action'].includes(report.state))
      throw new FakeServiceError(409, 'conflict');
    this.turns.set(id, report);
    this.storedStates.push(`${id} ${report.state}`);
    return { data: report };
  }

  private storePermission(id: string, report: StoredReport<PermissionRequestReport>) {
    const known = this.permissionRequests.get(id);
    if (!this.turns.has(report.turnLocalId)) throw new FakeServiceError(404, 'not_found');
    if (known && (known.content !== report.content || known.expiresAt !== report.expiresAt))
      throw new FakeServiceError(409, 'conflict');
    if (!known || known.revision < report.revision) this.permissionRequests.set(id, report);
    return { data: report };
  }

  private listTurns(sessionId: string, state: string | null) {
    const found = [...this.turns.values()].filter((turn) => turn.sessionId === sessionId && turn.state === state);
    const data = found.map((turn) => ({ ...turn, id: computeTurnId(turn.localId), requestId: null }));
    return { data, nextCursor: null };
  }

  /** Lists the pending requests. */
  private listPermissions(sessionId: string) {
    const found = [...this.permissionRequests.values()].filter(
      (request) => request.sessionId === sessionId && request.state === 'pending',
    );
    const data = found.map((request) => ({ ...request, turnId: request.turnLocalId.replace('req_', 'turn_') }));
    return { data, nextCursor: null };
  }
}
