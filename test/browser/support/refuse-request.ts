import type { Page, Route } from 'playwright-core';

/** Answers a request as the service refuses it. A page takes no other answer for that of the service. */
export function refuseRequest(route: Route, status: number, code: string, detail = 'Refused.'): Promise<void> {
  const requestId = 'req_01kpmvv80hfdssm8wysxkm8fea';
  return route.fulfill({
    status,
    headers: { 'x-request-id': requestId },
    contentType: 'application/problem+json',
    body: JSON.stringify({ type: 'about:blank', title: 'Refused', status, detail, code, requestId }),
  });
}

/** Refuses the calls of a page with this method until `page.unrouteAll()`. @param path end of the URL, for example */
export async function refuseCalls(page: Page, method: string, path: RegExp): Promise<void> {
  await page.route(path, (route) =>
    route.request().method() === method ? refuseRequest(route, 400, 'invalid_request') : route.fallback(),
  );
}
