import { echo } from '../../support/device/device-socket';

type Handler = (request: any) => unknown;

/** What devices really ran, over all their sockets and reconnects. */
export class Executions {
  private readonly requests: any[] = [];

  /** A device's work, counted before it is done. */
  handler(work: Handler = echo): Handler {
    return (request) => {
      this.requests.push(request);
      return work(request);
    };
  }

  get total(): number {
    return this.requests.length;
  }

  of(requestId: string): number {
    return this.requests.filter((request) => request.requestId === requestId).length;
  }

  /** By a mark that the test put into its call, for calls whose answer was lost. */
  marked(command: string): number {
    return this.requests.filter(({ params }) => (params.command ?? params.content) === command).length;
  }

  /** Ids that ran more than once; there must never be one. */
  get repeated(): string[] {
    const seen = new Set<string>();
    const ids = this.requests.map((request) => request.requestId as string);
    return ids.filter((id) => seen.has(id) || !seen.add(id));
  }
}
