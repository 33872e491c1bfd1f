import type { BrowserUser } from './test-browser';

/** Posts to the service as scripts of the open page do, which must show content. Returns the body of the response. */
export const postFromPage = (user: BrowserUser, path: string, body: object): Promise<any> =>
  callFromPage(user, 'POST', path, JSON.stringify(body));

/** Reads from the service as they do. */
export const getFromPage = (user: BrowserUser, path: string): Promise<any> => callFromPage(user, 'GET', path);

async function callFromPage({ page }: BrowserUser, method: string, path: string, body?: string): Promise<any> {
  const [status, answer] = await page.evaluate(
    async ([url, init]) => {
      const { csrfToken } = JSON.parse(document.getElementById('content-app')!.dataset.props!) as { csrfToken: string };
      const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrfToken };
      const response = await fetch(url, { ...init, headers });
      return [response.status, await response.json()] as [number, any];
    },
    [path, { method, body }] as const,
  );
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}
