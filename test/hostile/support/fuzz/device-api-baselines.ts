import { generateId } from '../../../../src/common/ids';
import { DeviceSession } from '../../../support/device/device-session';
import { SessionBodyBuilder } from '../../../support/device/session-body-builder';
import { CallerDataKey, GrantedArtifact } from '../../../support/content/granted-session';
import { createReaderKey, encryptWithJose, sealWithJose } from '../../../support/content/jose-keys';
import { buildInvocationReport } from '../../../support/invocation-fixture';
import type { DeviceApiFixture } from './device-api-fixture';
import { createAuthorizedApp } from './oauth-app';

/** What a valid request has besides the example of the document. */
export interface DeviceApiBaseline {
  /** Path parameters. */
  ids?: readonly string[];
  json?: unknown;
  /** Device token, by default of an account device. */
  token?: string;
}

/** A baseline for all requests, or a function for one that a request uses up, such as an account to delete. */
export type BaselineFactory = DeviceApiBaseline | (() => Promise<DeviceApiBaseline>);

/**
 * Returns the baselines by operation id. Operations that delete, end, rotate or replace a record have records of their
 * own, and so have all operations of their paths, since a mutated request may have another method.
 */
export async function createDeviceApiBaselines(fixture: DeviceApiFixture): Promise<Record<string, BaselineFactory>> {
  return {
    ...createAccountBaselines(fixture),
    ...(await createIdentityBaselines(fixture)),
    ...(await createContentBaselines(fixture)),
    ...(await createWebhookBaselines(fixture)),
    ...(await createControlBaselines(fixture)),
  };
}

function createAccountBaselines(fixture: DeviceApiFixture): Record<string, BaselineFactory> {
  const { ada, http } = fixture;
  const ownAccount = async () => ({ token: (await fixture.signUp()).token });
  const ownToken = async () => ({ ids: [(await ada.createToken(['usage:read'])).id] });
  const ownApp = async () => ({ ids: [(await fixture.createApp()).clientId] });
  return {
    getAccount: ownAccount,
    deleteAccount: ownAccount,
    exportAccount: ownAccount,
    revokeAuthorizedApp: async () => ({ ids: [(await createAuthorizedApp(http.url, ada)).clientId] }),
    getExternalToken: ownToken,
    renameExternalToken: ownToken,
    rotateExternalToken: ownToken,
    revokeExternalToken: ownToken,
    getDeveloperApp: ownApp,
    updateDeveloperApp: ownApp,
    deleteDeveloperApp: ownApp,
    disableDeveloperApp: ownApp,
    enableDeveloperApp: ownApp,
    revokeAllAuthorizations: ownApp,
    createAppSecret: ownApp,
    deleteAppSecret: async () => {
      const { clientId, secretIds } = await fixture.createApp(2);
      return { ids: [clientId, secretIds[0]!] };
    },
    createPushSubscription: () => Promise.resolve({ json: fixture.buildPushSubscription() }),
    deletePushSubscription: async () => ({ ids: [await fixture.createPushSubscription()] }),
    getRelayCall: async () => ({ ids: [await fixture.sendMessage()] }),
  };
}

async function createIdentityBaselines(fixture: DeviceApiFixture): Promise<Record<string, BaselineFactory>> {
  const { ada, machine } = fixture;
  const ownDevice = async () => ({ ids: [(await ada.pairDevice('machine')).id] });
  // Attempts to guess codes lock the account out.
  const ownCode = async () => {
    const account = await fixture.signUp();
    const { device } = await fixture.buildPairing();
    const { code } = await device.requestPairing('machine');
    return { ids: [code], token: account.token, json: { enrollment: account.createEnrollment(device) } };
  };
  const pairing = await (await fixture.buildPairing()).device.requestPairing('machine');
  return {
    signUp: async () => ({ json: await fixture.buildSignUp() }),
    signIn: async () => {
      const { publicKey } = machine.keys;
      return { json: { publicKey, ...(await machine.signChallenge({ publicKey })) } };
    },
    createPairing: async () => ({ json: (await fixture.buildPairing()).body }),
    getPairing: { ids: [pairing.id] },
    findPairingByCode: ownCode,
    approvePairing: ownCode,
    denyPairing: ownCode,
    renameDevice: ownDevice,
    revokeDevice: ownDevice,
    registerMachine: { token: machine.token },
  };
}

async function createContentBaselines(fixture: DeviceApiFixture): Promise<Record<string, BaselineFactory>> {
  const { ada, machine, machineId, session, asking, artifact } = fixture;
  const ownSession = async () => ({ ids: [(await ada.createSession(ada)).id as string] });
  const ownArtifact = async () => ({ ids: [(await GrantedArtifact.createArtifact(ada, 'x')).id] });
  const reader = await createReaderKey('X25519', 'reader-1');
  const seal = async (of: { key: CallerDataKey }) => ({
    recipient: reader.publicKey,
    sealedKey: await sealWithJose(reader.publicKey, of.key.jwk),
    expiresAt: Date.now() + 86_400_000,
  });
  const key = new CallerDataKey(ada);
  const encryptArtifact = (tag: string, version: number, { kid, bytes } = key) =>
    encryptWithJose(bytes, { kid, svc: { a: ada.accountId, t: tag, v: version } }, 'content');
  const written = await DeviceSession.createSession(ada);
  const invocation = await fixture.startInvocation();
  return {
    createSession: { json: new SessionBodyBuilder(ada).buildCreateBody() },
    getSessionForDevice: ownSession,
    updateSession: ownSession,
    deleteSession: ownSession,
    listMessagesForDevice: { ids: [session.id] },
    appendMessages: { ids: [written.id], json: { messages: [written.encryptMessage('m-1')] } },
    listTurnsForDevice: { ids: [asking.id] },
    reportTurn: { ids: [written.id, generateId('req')] },
    listPermissionRequestsForDevice: { ids: [asking.id] },
    reportPermissionRequest: {
      ids: [asking.id, 'p9'],
      json: await asking.buildReport('p9'),
      token: machine.token,
    },
    listSessionKeyGrants: { ids: [session.id] },
    createSessionKeyGrant: { ids: [session.id], json: await seal(session) },
    revokeSessionKeyGrant: async () => ({ ids: [session.id, await fixture.createGrant(session)] }),
    createArtifact: {
      json: {
        tag: 'own-tag',
        mediaType: 'text/plain',
        dataKey: await key.sealForAccount(),
        content: await encryptArtifact('own-tag', 1),
      },
    },
    getArtifactForDevice: ownArtifact,
    deleteArtifact: ownArtifact,
    replaceArtifactContent: async () => {
      const tag = `art-${generateId('art')}`;
      const created = await GrantedArtifact.createArtifact(ada, 'x', { key, tag });
      return { ids: [created.id], json: { content: await encryptArtifact(tag, 2), expectedVersion: 1 } };
    },
    listArtifactKeyGrants: { ids: [artifact.id] },
    createArtifactKeyGrant: { ids: [artifact.id], json: await seal(artifact) },
    revokeArtifactKeyGrant: async () => ({ ids: [artifact.id, await fixture.createGrant(artifact)] }),
    listInvocationsForDevice: { ids: [machineId], token: machine.token },
    reportInvocation: {
      ids: [machineId, invocation.localId],
      json: buildInvocationReport('running', 2),
      token: machine.token,
    },
  };
}

async function createWebhookBaselines(fixture: DeviceApiFixture): Promise<Record<string, BaselineFactory>> {
  const delivery = await fixture.createDelivery();
  const ids = [delivery[0]];
  return {
    updateWebhook: { ids: [await fixture.createWebhook()] },
    pauseWebhook: { ids },
    resumeWebhook: { ids },
    rotateWebhookSecret: { ids },
    sendTestEvent: { ids },
    listDeliveries: { ids },
    getDelivery: { ids: delivery },
    replayDelivery: { ids: delivery },
    replayFailedDeliveries: { ids },
  };
}

async function createControlBaselines(fixture: DeviceApiFixture): Promise<Record<string, BaselineFactory>> {
  const { machineId, session, asking, artifact } = fixture;
  const ofMachine = { ids: [machineId] };
  const ofInvocation = { ids: [machineId, (await fixture.startInvocation()).id] };
  const ofSession = { ids: [session.id] };
  const ofTurn = { ids: [asking.id, asking.turnId] };
  const permissionId = (await asking.requestPermission('p1')).record.id as string;
  const ofPermission = { ids: [asking.id, permissionId] };
  const content = await fixture.http.get(
    asking.getPath(permissionId, '/content').replace('/external/v1', '/v1/control'),
    fixture.ada.token,
  );
  return {
    controlGetArtifact: { ids: [artifact.id] },
    controlGetMachine: ofMachine,
    controlListInvocations: ofMachine,
    controlStartInvocation: ofMachine,
    controlInvokeMachine: ofMachine,
    controlListAgentSessions: ofMachine,
    controlStartSession: ofMachine,
    controlGetInvocation: ofInvocation,
    controlCancelInvocation: ofInvocation,
    controlStreamInvocationEvents: ofInvocation,
    controlReadInvocationOutput: ofInvocation,
    controlEndSession: ofSession,
    controlReadSessionOptions: ofSession,
    controlChangeSessionOptions: { ...ofSession, json: { model: 'opus' } },
    controlStreamSessionEvents: ofSession,
    controlSendMessage: { ...ofSession, json: { content: 'hello' } },
    controlListQueuedMessages: ofSession,
    controlCancelQueuedMessage: async () => ({ ids: [session.id, await fixture.queueMessage()] }),
    controlListPermissionRequests: { ids: [asking.id] },
    controlGetPermissionRequest: ofPermission,
    controlGetPermissionRequestContent: ofPermission,
    controlDecidePermissionRequest: {
      ...ofPermission,
      json: { decision: 'allow', contentHash: content.body.data.contentHash },
    },
    controlListTurns: { ids: [asking.id] },
    controlGetTurn: ofTurn,
    controlCancelTurn: ofTurn,
  };
}
