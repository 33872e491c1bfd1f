import type { BrowserUser } from './test-browser';

/** Posts to the service as scripts of the open page do, which must show content. Returns the body of the response. */
export async function postFromPage({ page }: BrowserUser, path: string, body: object): Promise<any> {
  const [status, answer] = await page.evaluate(
    async ([url, json]) => {
      const { csrfToken } = JSON.parse(document.getElementById('content-app')!.dataset.props!) as { csrfToken: string };
      const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrfToken };
      const response = await fetch(url!, { method: 'POST', headers, body: json });
      return [response.status, await response.json()] as [number, any];
    },
    [path, JSON.stringify(body)],
  );
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}
