import { render, type ComponentChildren } from 'preact';
import { AccountApi } from '../content/account-api';
import { KeysMissingError, openAccountKeys, type AccountKeys } from '../content/account-keys';
import { formatRetryTime, ServiceError } from '../lib/api-client';

/** What the server tells each page that shows content (src/web/console/components/content-app.tsx). */
export interface PageProps {
  accountId: string;
  csrfToken: string;
}

/** What a page needs to read and show content. */
export interface PageContext<P extends PageProps> {
  props: P;
  api: AccountApi;
  /** Null if this browser can't decrypt; the page then says so above its content. */
  keys: AccountKeys | null;
}

/** Renders a page into its element, with the account's keys. */
export async function mountPage<P extends PageProps>(
  renderPage: (context: PageContext<P>) => ComponentChildren,
): Promise<void> {
  const root = document.getElementById('content-app')!;
  const props = JSON.parse(root.dataset.props ?? '{}') as P;
  let keys: AccountKeys | null = null;
  let problem = '';
  try {
    keys = await openAccountKeys(props.accountId);
  } catch (error) {
    if (!(error instanceof KeysMissingError)) throw error;
    problem = error.message;
  }
  render(
    <>
      {problem && <p class="notice problem">{problem}</p>}
      {renderPage({ props, api: new AccountApi(props.csrfToken), keys })}
    </>,
    root,
  );
}

/** Returns an error as a sentence for the page. */
export function formatProblem(error: unknown): string {
  if (error instanceof ServiceError && error.status === 401) return 'You are signed out. Reload the page to sign in.';
  if (error instanceof ServiceError && error.code === 'rate_limited')
    return `There are too many calls at the moment. Try again ${formatRetryTime(error)}.`;
  return error instanceof Error ? error.message : 'Something went wrong. Reload the page.';
}
