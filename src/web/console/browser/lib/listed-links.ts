import { isServiceSuccess, UnreachableError } from './api-client';

export interface ListedLink {
  path: string;
  name: string;
}

/**
 * Returns the records that a page lists, such as tokens, which have no route that accepts the login of a browser.
 * @throws UnreachableError
 */
export async function readListedLinks(path: string): Promise<ListedLink[]> {
  const answer = await fetch(path, { headers: { Accept: 'text/html' }, cache: 'no-store' });
  if (answer.redirected || !isServiceSuccess(answer, 'text/html')) throw new UnreachableError();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const links = page.querySelectorAll<HTMLAnchorElement>('main table.list td > a:first-child');
  return [...links].map((link) => ({ path: link.getAttribute('href')!, name: link.textContent.trim() }));
}
