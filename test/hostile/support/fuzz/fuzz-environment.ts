import type { Backend } from '../../../support/backend';
import type { OpenApiNode } from '../../../support/conformance';
import { AskingSession } from '../../../support/content/asking-session';
import { GrantedArtifact, GrantedSession } from '../../../support/content/granted-session';
import { createReaderKey, sealWithJose } from '../../../support/content/jose-keys';
import type { DeviceSocket } from '../../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../../support/device/foreign-device';
import type { ServiceProcess } from '../../../support/service-process';
import type { RequestDraft } from './request-draft';
import { createAuthorizedApp, type FuzzAuthorizedApp } from './oauth-app';
import type { FuzzedOperation } from './fuzzed-operations';
import { connectFuzzedMachine, startFuzzedService, WEBHOOK_BODY } from './fuzzed-service';

const ALL_SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'machines:invoke',
  'artifacts:read',
  'artifacts:content',
  'webhooks:manage',
  'usage:read',
  'profile:read',
];
/** Real service with the resources of its operations: an online machine, a session with a granted message, an app. */
export class FuzzEnvironment {
  private constructor(
    private readonly backend: Backend,
    readonly service: ServiceProcess,
    readonly document: OpenApiNode,
    private readonly sockets: DeviceSocket[],
    /** Path parameters and additional members of a valid request, by operation id. */
    private readonly baselines: Record<string, Partial<RequestDraft> & { ids?: readonly string[] }>,
    private readonly app: FuzzAuthorizedApp,
    private readonly tokens: { good: string; bare: string; account: string; machine: string },
    /** Log lines of the service. */
    readonly logs: readonly string[],
  ) {}

  static async start(): Promise<FuzzEnvironment> {
    const { backend, service, logs } = await startFuzzedService();
    const { http } = service;
    const ada = await ForeignAccountDevice.signUp(http);
    const machine = await ada.pairDevice('machine');
    const registered = { name: 'box', platform: 'linux' };
    const machineId = expectStatus(await http.post('/v1/machines', machine.token, registered), 201).data.id as string;
    const socket = await connectFuzzedMachine(machine);

    const session = await GrantedSession.createSession(ada, machine);
    const messageId = await session.appendMessage('hello');
    await session.writeMetadata({ title: 'a session' });
    const asking = await AskingSession.createSession({ now: Date.now() }, ada, machine);
    expectStatus(await asking.granted.grantToService(), 201);
    const permissionId = (await asking.requestPermission('p1')).record.id as string;
    const artifact = await GrantedArtifact.createArtifact(ada, 'an artifact');
    expectStatus(await session.grantToService(), 201);
    expectStatus(await artifact.grantToService(), 201);
    const reader = await createReaderKey('X25519', 'reader-1');
    const keyGrant = {
      recipient: reader.publicKey,
      sealedKey: await sealWithJose(reader.publicKey, session.key.jwk),
      expiresAt: Date.now() + 86_400_000,
    };
    const { token: good } = await ada.createToken(ALL_SCOPES);
    const { token: bare } = await ada.createToken(['profile:read']);
    const permissionContent = await http.get(asking.getPath(permissionId, '/content'), good);
    const { contentHash } = expectStatus(permissionContent, 200).data;
    const started = await http.post(`/external/v1/machines/${machineId}/invocations`, good, { command: 'make' });
    const invocationId = expectStatus(started, 202).data.id as string;
    const newWebhook = async (path: string) => {
      const body = { ...WEBHOOK_BODY, url: WEBHOOK_BODY.url + path };
      return expectStatus(await http.post('/external/v1/webhooks', good, body), 201).data.id as string;
    };
    const queuedBody = { content: 'hello', delivery: { mode: 'queue', notBefore: Date.now() + 86_400_000 } };
    const queued = await http.post(`/external/v1/sessions/${session.id}/messages`, good, queuedBody);
    const { queuedMessageId } = expectStatus(queued, 202).result as { queuedMessageId: string };
    const app = await createAuthorizedApp(http.url, ada);
    const unknown = { form: ['token=svc_oat_unknown'] };
    const baselines = {
      getSession: { ids: [session.id] },
      getSessionContent: { ids: [session.id] },
      listMessages: { ids: [session.id] },
      sendMessage: { ids: [session.id], json: { content: 'hello' } },
      getMessageContent: { ids: [session.id, messageId] },
      listTurns: { ids: [asking.id] },
      getTurn: { ids: [asking.id, asking.turnId] },
      cancelTurn: { ids: [asking.id, asking.turnId] },
      streamSessionEvents: { ids: [session.id] },
      listQueuedMessages: { ids: [session.id] },
      cancelQueuedMessage: { ids: [session.id, queuedMessageId] },
      listPermissionRequests: { ids: [asking.id] },
      getPermissionRequest: { ids: [asking.id, permissionId] },
      getPermissionRequestContent: { ids: [asking.id, permissionId] },
      decidePermissionRequest: { ids: [asking.id, permissionId], json: { decision: 'allow', contentHash } },
      startSession: { ids: [machineId] },
      endSession: { ids: [session.id] },
      readSessionOptions: { ids: [session.id] },
      changeSessionOptions: { ids: [session.id], json: { model: 'opus' } },
      getMachine: { ids: [machineId] },
      invokeMachine: { ids: [machineId] },
      listAgentSessions: { ids: [machineId] },
      listInvocations: { ids: [machineId] },
      startInvocation: { ids: [machineId] },
      getInvocation: { ids: [machineId, invocationId] },
      cancelInvocation: { ids: [machineId, invocationId] },
      readInvocationOutput: { ids: [machineId, invocationId] },
      streamInvocationEvents: { ids: [machineId, invocationId] },
      getArtifact: { ids: [artifact.id] },
      getArtifactContent: { ids: [artifact.id] },
      createWebhook: { json: WEBHOOK_BODY },
      getWebhook: { ids: [await newWebhook('/1')] },
      deleteWebhook: { ids: [await newWebhook('/2')] },
      createSessionKeyGrant: { ids: [session.id], json: keyGrant },
      authorize: { query: app.authorizationQuery },
      issueToken: { form: ['grant_type=refresh_token', `refresh_token=${app.refreshToken}`] },
      revokeToken: unknown,
      introspectToken: { form: [`token=${app.accessToken}`] },
    };
    const tokens = { good, bare, account: ada.token, machine: machine.token };
    const document = (await http.get('/external/v1/openapi.json')).body as OpenApiNode;
    return new FuzzEnvironment(backend, service, document, [socket], baselines, app, tokens, logs);
  }

  get url(): string {
    return this.service.http.url;
  }

  /** Returns a request that succeeds if it is the first one of the operation. */
  createBaselineDraft(operation: FuzzedOperation): RequestDraft {
    const { ids = [], ...extra } = this.baselines[operation.id] ?? {};
    const remainingIds = [...ids];
    const { body } = operation;
    const isForm = body !== null && body.type !== 'application/json';
    return {
      method: operation.method,
      path: operation.path.replace(/\{\w+\}/g, () => remainingIds.shift() ?? 'missing'),
      query: [],
      headers: [
        ...(body ? [['Content-Type', body.type] as [string, string]] : []),
        ...this.buildAuthorizationHeaders(operation),
      ],
      ...(body && !isForm && { json: body.example }),
      ...extra,
    };
  }

  /** One valid credential of each kind. */
  listCredentials({ security }: FuzzedOperation): string[] {
    const { good, bare, account, machine } = this.tokens;
    const own = security === 'device' ? account : good;
    return [own, ...[good, bare, account, machine, this.app.accessToken].filter((token) => token !== own)];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.close();
    await this.service.stop('SIGKILL');
    await this.backend.dispose();
  }

  private buildAuthorizationHeaders({ security }: FuzzedOperation): [string, string][] {
    if (security === 'none') return [];
    if (security === 'client') return [['Authorization', this.app.basic]];
    const token = security === 'device' ? this.tokens.account : this.tokens.good;
    return [['Authorization', `Bearer ${token}`]];
  }
}
