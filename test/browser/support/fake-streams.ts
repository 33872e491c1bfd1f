import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** Sends an event into the open streams that are subscribed to its type. Returns how many there are. */
    emitEvent?: (type: string, data: object) => number;
  }
}

/**
 * Gives the pages of this tab event streams that only the test writes to. A stream gets the events of the types that
 * the page has asked for, as the service sends them.
 * @param hasNotices whether the notices of every page follow their stream as well
 */
export async function fakeStreams(page: Page, hasNotices = false): Promise<void> {
  await page.addInitScript((isNoticed) => {
    // The notices of a page open their stream with a lock, which another tab may hold.
    navigator.locks.request = async (_name: string, run: unknown) =>
      isNoticed ? (run as () => Promise<unknown>)() : new Promise<never>(() => undefined);
    const streams: { types: string | null; controller: ReadableStreamDefaultController<Uint8Array> }[] = [];
    const realFetch = window.fetch.bind(window);
    window.fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input, location.href);
      if (!url.pathname.endsWith('/events')) return realFetch(input, init);
      const types = url.searchParams.get('types');
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void streams.push({ types, controller }) });
      const headers = { 'Content-Type': 'text/event-stream', 'X-Request-Id': 'req_01kpmvv80hfdssm8wysxkm8fea' };
      return Promise.resolve(new Response(body, { headers }));
    };
    window.emitEvent = (type, data) => {
      const subscribed = streams.filter(({ types }) => types === null || types.split(',').includes(type));
      const text = `id: c1\nevent: ${type}\ndata: ${JSON.stringify({ data })}\n\n`;
      for (const { controller } of subscribed) controller.enqueue(new TextEncoder().encode(text));
      return subscribed.length;
    };
  }, hasNotices);
}

/** Sends an event as soon as the page has a stream for its type. */
export const emitEvent = (page: Page, type: string, data: object): Promise<unknown> =>
  page.waitForFunction(([name, content]) => window.emitEvent!(name, content) > 0, [type, data] as const);
