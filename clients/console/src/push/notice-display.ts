import { type Notice, type NoticeOption } from './notice';
import { isPageOnlyWorker, lockNotices } from './push-registration';
import { worker } from './worker-scope';

/** What a notification remembers until it is clicked. */
export interface NoticeData {
  sessionId: string;
  /** Permission request or turn. */
  id: string;
  isRequest: boolean;
  contentHash: string;
  allow: NoticeOption | null;
  reject: NoticeOption | null;
}

const ICON = '/console/assets/newest/icon-192.png';
/** The event must have ended: a browser shows a notification of its own if a message leaves none. */
const CLOSE_DELAY_MS = 1_000;

export const getSessionPath = (sessionId: string): string => `/console/sessions/${sessionId}`;

/** Shows a notification instead of the one of the same session. */
export async function showNotice(sessionId: string, id: string, notice: Notice, isRequest: boolean): Promise<void> {
  const { title, body, contentHash } = notice;
  const isPageOnly = isPageOnlyWorker(worker.location.href);
  const [allow, reject] = isPageOnly ? [null, null] : [notice.allow, notice.reject];
  const data: NoticeData = { sessionId, id, isRequest, contentHash, allow, reject };
  const options = {
    body,
    tag: sessionId,
    renotify: true,
    icon: ICON,
    requireInteraction: isRequest,
    data,
    actions: [
      ...(allow ? [{ action: 'allow', title: 'Allow' }] : []),
      ...(reject ? [{ action: 'reject', title: 'Reject' }] : []),
    ],
  };
  await lockNotices(() => worker.registration.showNotification(title, options));
}

/** Returns what the notification of the session is about. There is one at most. */
export async function findShownNotice(sessionId: string): Promise<NoticeData | undefined> {
  const [shown] = await readNotices(sessionId);
  return shown?.data as NoticeData | undefined;
}

const readNotices = (tag: string): Promise<Notification[]> =>
  lockNotices(() => worker.registration.getNotifications({ tag }));

/** Replaces the notification of a request by a silent one, and closes that. */
export async function withdrawNotice(sessionId: string, id: string): Promise<void> {
  const shown = await findShownNotice(sessionId);
  // A later notice of the session stays.
  if (shown && shown.id !== id) return;
  const options = { body: 'It is decided already.', tag: sessionId, icon: ICON, silent: true, data: { sessionId, id } };
  await lockNotices(() => worker.registration.showNotification('Nothing to do', options));
  setTimeout(() => void closeNotices(sessionId, id), CLOSE_DELAY_MS);
}

async function closeNotices(sessionId: string, id: string): Promise<void> {
  for (const notice of await readNotices(sessionId)) {
    if ((notice.data as NoticeData).id === id) notice.close();
  }
}

/** Whether a person looks at the page of the session. */
export async function isSessionInFront(sessionId: string): Promise<boolean> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return pages.some(
    ({ url, focused, visibilityState }) =>
      focused && visibilityState === 'visible' && new URL(url).pathname === getSessionPath(sessionId),
  );
}

/** Brings the page of the session to the front. */
export async function openSession(sessionId: string): Promise<void> {
  const path = getSessionPath(sessionId);
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = pages.find(({ url }) => new URL(url).pathname === path);
  await (open ? open.focus() : worker.clients.openWindow(path));
}
