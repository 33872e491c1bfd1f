/** Says on every page that an agent waits for a decision. */
import { AccountApi } from './content/account-api';
import type { PermissionRecord } from './content/records';
import { readPageShell, type PageShell } from './lib/page-shell';
import { followPendingRequests } from './notices/pending-requests';
import { showPendingCount } from './notices/pending-count';
import { Toasts } from './notices/toasts';
import { isNotified } from './push/push-registration';

const shell = readPageShell();
// Without them (a page over http) no page could tell the others what it knows.
if (shell && 'locks' in navigator) showNotices(shell);

function showNotices(shell: PageShell): void {
  const api = new AccountApi(shell.csrfToken);
  const toasts = new Toasts();
  let pendingIds: ReadonlySet<string> = new Set();

  const describe = async ({ sessionId, options }: PermissionRecord): Promise<string> => {
    const read = async () => {
      const { readSessionTitle } = (await import(shell.titlesUrl)) as typeof import('./session-titles');
      return `“${await readSessionTitle(shell, sessionId)}”`;
    };
    const title = await read().catch(() => 'A session');
    return `${title} ${options.length === 0 ? 'asks a question' : 'needs your approval'}.`;
  };

  followPendingRequests(api, shell.accountId, {
    onChange: (pending) => {
      showPendingCount(pending.length);
      pendingIds = new Set(pending.map(({ id }) => id));
      toasts.keepOnly(pendingIds);
    },
    onRequest: async (request, isUnseen) => {
      const path = `/console/sessions/${request.sessionId}`;
      const text = await describe(request);
      // It may have been decided meanwhile.
      if (!pendingIds.has(request.id)) return;
      const isPushed = () => isNotified(shell.accountId, 'permission.requested').catch(() => false);
      if (isUnseen && !(await isPushed())) notifyUser(request.id, text, path);
      if (!isShownBy(request)) toasts.show(request.id, text, path);
    },
  });
}

/** Whether the page itself shows the request. */
const isShownBy = ({ sessionId }: PermissionRecord): boolean =>
  ['/console/approvals', `/console/sessions/${sessionId}`].includes(location.pathname);

/** Shows a notification of the browser, if the user has allowed that. @param id of which one at most is shown */
function notifyUser(id: string, text: string, path: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const notification = new Notification('External API', { body: text, tag: id });
    notification.addEventListener('click', () => {
      window.focus();
      location.assign(path);
    });
  } catch {
    // Chrome on Android has notifications of service workers only.
  }
}
