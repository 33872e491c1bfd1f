import { generateId } from '../../../src/common/ids';
import { expectStatus, type ForeignAccountDevice, type ForeignDevice } from '../device/foreign-device';
import type { HttpResponse } from '../http-client';
import { GrantedSession } from './granted-session';
import { encryptWithJose } from './jose-keys';

export const PERMISSION_MEDIA_TYPE = 'application/vnd.external-api.permission-request+json';
export const PERMISSION_OPTIONS = [
  { optionId: 'o1', kind: 'allow_once' },
  { optionId: 'o2', kind: 'allow_always' },
  { optionId: 'o3', kind: 'reject_once' },
];
export const QUESTION = JSON.stringify({
  title: 'Run rm -rf build',
  tool: 'execute',
  input: { command: 'rm -rf build' },
});

/** Session with a running turn, whose device reports what the agent asks. */
export class AskingSession {
  private constructor(
    private readonly clock: { readonly now: number },
    readonly granted: GrantedSession,
    /** Id of the call that began the turn. */
    readonly turnLocalId: string,
    private readonly account: ForeignAccountDevice,
    readonly host: ForeignDevice,
  ) {}

  static async createSession(
    /** Service, or another source of its time in Unix ms. */
    clock: { readonly now: number },
    account: ForeignAccountDevice,
    host: ForeignDevice = account,
  ): Promise<AskingSession> {
    const granted = await GrantedSession.createSession(account, host);
    const asking = new AskingSession(clock, granted, generateId('req'), account, host);
    await asking.beginTurn();
    return asking;
  }

  get id(): string {
    return this.granted.id;
  }

  get turnId(): string {
    return this.turnLocalId.replace('req_', 'turn_');
  }

  private async beginTurn(): Promise<void> {
    const turn = { revision: 1, state: 'running', pendingPermissions: 0, startedAt: this.now };
    const path = `/v1/sessions/${this.id}/turns/${this.turnLocalId}`;
    expectStatus(await this.host.http.request('PUT', path, { token: this.host.token, json: turn }), 201);
  }

  /** Time of the service, Unix ms. */
  get now(): number {
    return this.clock.now;
  }

  /** Encrypts the content of a request. `svc` names its place unless the test overrides it. */
  encryptContent(localId: string, text = QUESTION, svc?: object): Promise<string> {
    const place = svc ?? { a: this.account.accountId, s: this.granted.tag, p: localId };
    return encryptWithJose(
      this.granted.key.bytes,
      { kid: this.granted.key.kid, cty: PERMISSION_MEDIA_TYPE, svc: place },
      text,
    );
  }

  /** Builds the first report of a request, which expires in ten minutes. */
  async buildReport(localId: string, changes: object = {}) {
    return {
      revision: 1,
      turnLocalId: this.turnLocalId,
      kind: 'execute',
      options: PERMISSION_OPTIONS,
      content: await this.encryptContent(localId),
      expiresAt: this.now + 600_000,
      state: 'pending',
      optionId: null,
      decidedAt: null,
      ...changes,
    };
  }

  putReport(localId: string, report: object, by: ForeignDevice = this.host): Promise<HttpResponse> {
    return by.http.request('PUT', `/v1/sessions/${this.id}/permission-requests/${encodeURIComponent(localId)}`, {
      token: by.token,
      json: report,
    });
  }

  /** Reports a new request. Returns its record and the report. */
  async requestPermission(localId: string, changes: object = {}) {
    const report = await this.buildReport(localId, changes);
    return { record: expectStatus(await this.putReport(localId, report), 201).data, report };
  }

  getPath(permissionId = '', suffix = ''): string {
    return `/external/v1/sessions/${this.id}/permission-requests${permissionId && `/${permissionId}`}${suffix}`;
  }
}
