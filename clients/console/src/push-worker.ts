/** Service worker: shows what push messages are about, and sends decisions (docs/guide/console.md#notifications). */
import { ApprovalDecision, UNKNOWN_OUTCOME, type DecisionResult } from './approvals/approval-decisions';
import { ApprovalSessionReader, openApproval } from './approvals/open-approval';
import { AccountApi } from './content/account-api';
import { openAccountKeys } from './content/account-keys';
import type { PermissionRecord } from './content/records';
import { buildRequestNotice, type Notice, type NoticeOption } from './push/notice';
import {
  findShownNotice,
  isSessionInFront,
  openSession,
  showNotice,
  withdrawNotice,
  type NoticeData,
} from './push/notice-display';
import { readLogin, readSubscription, subscribeBrowser, type Login } from './push/push-registration';
import { worker } from './push/worker-scope';

/** docs/protocol/push.md#messages */
interface PushMessage {
  type: string;
  sessionId: string;
  id: string;
}

const SHOWN_TYPES = ['permission.requested', 'turn.completed', 'turn.failed'];

const plainNotice = (title: string, body: string): Notice => ({
  title,
  body,
  contentHash: '',
  allow: null,
  reject: null,
});

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const message = (event.data?.json() ?? {}) as Partial<PushMessage>;
  if (message.type && message.sessionId && message.id) event.waitUntil(handleMessage(message as PushMessage));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const data = event.notification.data as NoticeData;
  const option = event.action === 'allow' ? data.allow : event.action === 'reject' ? data.reject : null;
  event.waitUntil(option ? decide(data, option) : openSession(data.sessionId));
});

worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription()));

async function handleMessage(message: PushMessage): Promise<void> {
  const { type, sessionId, id } = message;
  if (type === 'permission.decided') return withdrawDecided(sessionId, id);
  if (!SHOWN_TYPES.includes(type)) return;
  if (await isSessionInFront(sessionId)) return;
  const isRequest = type === 'permission.requested';
  const notice = await buildNotice(message, isRequest).catch(() => createGenericNotice(isRequest));
  await (notice ? showNotice(sessionId, id, notice, isRequest) : withdrawNotice(sessionId, id));
}

/** The message may be about another request than the one that is shown, if both were decided. */
async function withdrawDecided(sessionId: string, id: string): Promise<void> {
  const shown = await findShownNotice(sessionId);
  const isOther = shown?.isRequest === true && shown.id !== id;
  const isStale = isOther && (await isDecided(shown).catch(() => false));
  return withdrawNotice(sessionId, isStale ? shown.id : id);
}

async function isDecided({ sessionId, id }: NoticeData): Promise<boolean> {
  const login = await readLogin();
  return login !== null && !(await findPending(new AccountApi(login.csrfToken), sessionId, id));
}

async function findPending(api: AccountApi, sessionId: string, id: string): Promise<PermissionRecord | undefined> {
  const path = `/v1/sessions/${sessionId}/permission-requests`;
  const pending = await api.getAll<PermissionRecord>(path, { state: 'pending', limit: 200 });
  return pending.find((each) => each.id === id);
}

/** Returns null if there is nothing to decide any more. */
async function buildNotice({ type, sessionId, id }: PushMessage, isRequest: boolean): Promise<Notice | null> {
  const login = await readLogin();
  if (!login) return plainNotice('You are signed out', 'Sign in to see what an agent has to tell you.');
  const api = new AccountApi(login.csrfToken);
  const session = await openSessionReader(login, api).then((reader) => reader.readSession(sessionId));
  if (!isRequest) {
    const body = type === 'turn.failed' ? 'The agent could not go on.' : 'The agent has finished.';
    return plainNotice(session.title, body);
  }
  const record = await findPending(api, sessionId, id);
  return record ? buildRequestNotice(await openApproval(record, session)) : null;
}

async function openSessionReader({ accountId }: Login, api: AccountApi): Promise<ApprovalSessionReader> {
  return new ApprovalSessionReader(api, await openAccountKeys(accountId).catch(() => null));
}

const createGenericNotice = (isRequest: boolean): Notice =>
  isRequest
    ? plainNotice('An agent asks for permission', 'Open the page to see what it asks.')
    : plainNotice('An agent has ended its turn', 'Open the page to see the result.');

/** Sends the decision with the hash of what the notification has shown. */
async function decide(data: NoticeData, option: NoticeOption): Promise<void> {
  const { sessionId, id, contentHash } = data;
  const login = await readLogin().catch(() => undefined);
  if (!login) {
    const text =
      login === null ? 'You are signed out. Sign in to decide.' : 'The service cannot be reached. Try again.';
    return showNotice(sessionId, id, plainNotice('Your decision was not sent', text), true);
  }
  const api = new AccountApi(login.csrfToken);
  const result = await new ApprovalDecision().sendDecision(api, { id, sessionId }, option, contentHash);
  if (result.isSuccess || (result.text === UNKNOWN_OUTCOME && (await isDecided(data).catch(() => false)))) return;
  await showNotice(sessionId, id, explainFailure(result), true);
}

function explainFailure({ state, text }: DecisionResult): Notice {
  if (text === UNKNOWN_OUTCOME)
    return plainNotice('Nobody knows whether your decision counts', 'Open the page to see what became of the request.');
  return plainNotice(state === 'final' ? 'Your decision did not count' : 'Your decision was not sent', text);
}

/** The push service has ended the subscription. After a failure, Home subscribes again. */
async function renewSubscription(): Promise<void> {
  const login = await readLogin();
  if (!login) return;
  const api = new AccountApi(login.csrfToken);
  const { serverKey, record } = await readSubscription(api, login.deviceId);
  if (serverKey) await subscribeBrowser(api, worker.registration, serverKey, record?.events);
}
