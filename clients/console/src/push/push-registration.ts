import { AccountApi, type ListPage } from '../content/account-api';
import type { PushSubscriptionRecord } from '../content/records';
import { requestJson, ServiceError } from '../lib/api-client';

/** Scope of the service worker, in which there is no page. */
export const PUSH_SCOPE = '/console/push/';
const PATH = '/v1/push-subscriptions';
/** Query of the worker's address if notifications have no buttons. Nobody but this browser can change it. */
const PAGE_ONLY_QUERY = '?decide=page';
/** Where the browser remembers what a person has turned on. */
const CHOICE_KEY = 'notifications';

export type PushEventType = PushSubscriptionRecord['events'][number];

/** What a person has turned on, and for which account. */
interface NotificationChoice {
  accountId: string;
  events: readonly PushEventType[];
  /** The service was asked to end the subscription, and has not refused. */
  isEnding?: true;
}

/** Who is signed in. */
export interface Login {
  accountId: string;
  deviceId: string;
  csrfToken: string;
}

/** Returns the browser's login; null if it is signed out. @throws UnreachableError */
export async function readLogin(): Promise<Login | null> {
  try {
    return ((await requestJson('GET', `${PUSH_SCOPE}login`, 'record', {})) as { data: Login }).data;
  } catch (error) {
    if ((error as { status?: number }).status === 401) return null;
    throw error;
  }
}

export const isPushSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

export const findRegistration = async (): Promise<ServiceWorkerRegistration | undefined> => {
  const registration = await navigator.serviceWorker?.getRegistration(PUSH_SCOPE);
  return registration && new URL(registration.scope).pathname === PUSH_SCOPE ? registration : undefined;
};

/** Returns the key of the service, null where notifications are off, and what the service has of this browser. */
export async function readSubscription(
  api: AccountApi,
  deviceId: string,
): Promise<{ serverKey: string | null; record: PushSubscriptionRecord | undefined }> {
  // An account has at most 50.
  const page = (await api.getPage<PushSubscriptionRecord>(PATH, { limit: 200 })) as ListPage<PushSubscriptionRecord> & {
    applicationServerKey: string | null;
  };
  return { serverKey: page.applicationServerKey, record: page.data.find((each) => each.deviceId === deviceId) };
}

/** Whether the service notifies this browser of such events of the account, which is signed in. */
export async function isNotified(accountId: string, event: PushEventType): Promise<boolean> {
  const choice = readChoice();
  // The subscription of another account ended with its login, which the browser doesn't know.
  if (choice?.accountId !== accountId || choice.isEnding) return false;
  const registration = isPushSupported() ? await findRegistration() : undefined;
  const isSubscribed = (await registration?.pushManager.getSubscription()) ?? false;
  return Boolean(isSubscribed && choice.events.includes(event));
}

/** Subscribes this browser anew at its push service, and tells the service. */
export async function subscribeBrowser(
  api: AccountApi,
  registration: ServiceWorkerRegistration,
  serverKey: string,
  events: readonly PushEventType[] | undefined,
): Promise<void> {
  // An old subscription may have another key.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: serverKey };
  const subscription = await registration.pushManager.subscribe(options).catch(explainRefusal);
  try {
    await sendSubscription(api, subscription, events);
  } catch (error) {
    // The service doesn't have this one, so that Home subscribes again.
    await subscription.unsubscribe();
    throw error;
  }
}

async function sendSubscription(
  api: AccountApi,
  subscription: PushSubscription,
  events: readonly PushEventType[] | undefined,
): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  await api.post(PATH, { endpoint, p256dh: keys!.p256dh, auth: keys!.auth, events });
}

function explainRefusal(cause: unknown): never {
  throw new Error('This browser refused to be notified, as private windows do.', { cause });
}

/** Turns notifications on, with the buttons of requests. */
export async function turnOn(api: AccountApi, serverKey: string, choice: NotificationChoice): Promise<void> {
  await subscribeBrowser(api, await registerWorker(false), serverKey, choice.events);
  rememberChoice(choice);
}

/** Changes what notifications are about. The browser stays subscribed, also if the service can't be reached. */
export async function changeEvents(api: AccountApi, choice: NotificationChoice): Promise<void> {
  const registration = await findRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  // The page then says that they are off.
  if (!subscription) return;
  await sendSubscription(api, subscription, choice.events);
  rememberChoice(choice);
}

/** Succeeds also if the service has the subscription no longer: it was turned off in another tab, or has ended. */
export async function turnOff(api: AccountApi, { id }: PushSubscriptionRecord): Promise<void> {
  const choice = readChoice();
  // The page may be closed before the answer arrives. Home then doesn't subscribe again.
  if (choice) rememberChoice({ ...choice, isEnding: true });
  try {
    await api.delete(`${PATH}/${id}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status !== 404) {
      if (choice) rememberChoice(choice);
      throw error;
    }
  }
  await unsubscribeBrowser();
}

async function unsubscribeBrowser(): Promise<void> {
  localStorage.removeItem(CHOICE_KEY);
  const registration = await findRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
}

/** Registers the worker, or replaces it by one with the other setting. The subscription stays. */
export async function registerWorker(isPageOnly: boolean): Promise<ServiceWorkerRegistration> {
  const url = `${PUSH_SCOPE}worker.js${isPageOnly ? PAGE_ONLY_QUERY : ''}`;
  const registration = await navigator.serviceWorker.register(url, { scope: PUSH_SCOPE, updateViaCache: 'none' });
  await waitUntilActive(registration.installing ?? registration.waiting);
  return registration;
}

/** Whether the worker with this address leaves decisions to the page. */
export const isPageOnlyWorker = (url: string | undefined): boolean => url?.endsWith(PAGE_ONLY_QUERY) ?? false;

/**
 * Subscribes again when the service or the browser has lost the subscription: it ends with a login, with a key of the
 * operator, and when the push service has ended it and the worker couldn't renew it. Does nothing for another account
 * than the one for which a person has turned notifications on.
 */
export async function keepSubscribed(): Promise<void> {
  if (!isPushSupported() || Notification.permission !== 'granted') return;
  const registration = await findRegistration();
  const login = registration && (await readLogin());
  const choice = readChoice();
  if (!login || choice?.accountId !== login.accountId) return;
  const api = new AccountApi(login.csrfToken);
  const { serverKey, record } = await readSubscription(api, login.deviceId);
  // A person has turned them off. While the service has the subscription, the settings say that they are on.
  if (choice.isEnding) {
    if (!record) await unsubscribeBrowser();
    return;
  }
  const isSubscribed = record && (await registration.pushManager.getSubscription());
  if (serverKey && !isSubscribed) await subscribeBrowser(api, registration, serverKey, choice.events);
}

/**
 * Shows or reads notifications while no other page or worker of the browser does. Chromium forgets a notification that
 * it is about to show when another call reads them: then it has no effect to click it, or to press its buttons.
 */
export const lockNotices = async <T>(act: () => Promise<T>): Promise<T> => navigator.locks.request('notices', act);

const rememberChoice = (choice: NotificationChoice) => localStorage.setItem(CHOICE_KEY, JSON.stringify(choice));

const readChoice = () => JSON.parse(localStorage.getItem(CHOICE_KEY) ?? 'null') as NotificationChoice | null;

/** Closes the notification of a request that was decided on a page of this browser. */
export const closeNotice = (requestId: string): Promise<void> =>
  closeNotices(({ data }) => (data as { id?: string } | null)?.id === requestId);

/** Closes what a former login has shown. */
export async function closeNoticesOfFormerLogin(): Promise<void> {
  if ((await findRegistration()) && !(await readLogin())) await closeNotices(() => true);
}

async function closeNotices(isClosed: (notice: Notification) => boolean): Promise<void> {
  const registration = await findRegistration();
  if (!registration) return;
  for (const notice of await lockNotices(() => registration.getNotifications())) if (isClosed(notice)) notice.close();
}

async function waitUntilActive(worker: ServiceWorker | null): Promise<void> {
  if (!worker) return;
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve();
      if (worker.state === 'redundant') reject(new Error('This browser could not start the notifications.'));
    });
  });
}
