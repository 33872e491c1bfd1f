import type { AccountApi } from '../content/account-api';
import { CoalescedRefresh } from '../content/coalesced-refresh';
import { getExpiryDelay } from '../content/expiry-delay';
import { followEvents } from '../content/follow-events';
import type { PermissionRecord } from '../content/records';

const EVENTS_PATH = '/v1/control/events?types=permission.requested,permission.decided,turn.ended,session.deleted';
/** A request expires without an event. */
const EXPIRY_MARGIN_MS = 1_000;
/** Time in which a page that the user looks at says so. */
const SEEN_DELAY_MS = 500;

/** A list has the pending requests, as the page with the stream has read them. */
type Message = 'changed' | 'seen' | readonly PermissionRecord[];

interface RequestHandlers {
  onChange(pending: readonly PermissionRecord[]): void;
  /**
   * A request that was made while the page is open.
   * @param isUnseen whether no page of the browser has the focus; true in one page only
   */
  onRequest(request: PermissionRecord, isUnseen: boolean): Promise<void>;
}

/**
 * Follows the permission requests of the account that nobody has decided. Browsers open few connections to a host, so
 * one page has the stream for all of them, also while it is hidden. All pages share the rate limit of the device: those
 * that are hidden show what that page has read. One that is visible reads by itself, since browsers delay the timers of
 * hidden pages.
 */
export function followPendingRequests(api: AccountApi, accountId: string, handlers: RequestHandlers): void {
  const name = `external-api-notices-${accountId}`;
  const channel = new BroadcastChannel(name);
  let known: Set<string> | undefined;
  let hasStream = false;
  let lastSeenAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const announce = async (request: PermissionRecord): Promise<void> => {
    if (document.hasFocus()) channel.postMessage('seen' satisfies Message);
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, SEEN_DELAY_MS));
    const isSeen = document.hasFocus() || lastSeenAt >= startedAt - SEEN_DELAY_MS;
    await handlers.onRequest(request, hasStream && !isSeen);
  };

  const showRequests = (pending: readonly PermissionRecord[]): void => {
    handlers.onChange(pending);
    const added = known ? pending.filter(({ id }) => !known!.has(id)) : [];
    known = new Set(pending.map(({ id }) => id));
    for (const request of added) void announce(request);
  };

  const readRequests = async (): Promise<void> => {
    const pending = await api.getAll<PermissionRecord>('/v1/permission-requests', { state: 'pending', limit: 200 });
    if (hasStream) channel.postMessage(pending satisfies Message);
    showRequests(pending);
    clearTimeout(timer);
    if (pending.length === 0) return;
    timer = setTimeout(refreshIfNeeded, getExpiryDelay(...pending) + EXPIRY_MARGIN_MS);
  };
  const refresh = new CoalescedRefresh(readRequests, () => undefined);
  const refreshIfNeeded = () => {
    if (hasStream || !document.hidden || !known) refresh.scheduleRefresh();
  };

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data === 'seen') lastSeenAt = performance.now();
    else if (data === 'changed') refreshIfNeeded();
    else if (document.hidden) showRequests(data);
  });
  document.addEventListener('visibilitychange', refreshIfNeeded);
  const announceChange = () => {
    refresh.scheduleRefresh();
    channel.postMessage('changed' satisfies Message);
  };
  // The lock ends with the page, or with its login: then another page goes on.
  const keepStream = () =>
    new Promise<void>((resolve) => {
      hasStream = true;
      const closing = new AbortController();
      followEvents(
        api,
        EVENTS_PATH,
        {
          isNeededWhileHidden: true,
          onEvent: announceChange,
          onReset: announceChange,
          onStateChange: (state) => {
            if (state !== 'ended') return;
            hasStream = false;
            resolve();
          },
        },
        closing.signal,
      );
    });
  refresh.scheduleRefresh(0);
  void navigator.locks.request(name, keepStream);
}
