import { echoRequest } from '../../support/device/device-socket';

type RequestHandlerFunction = (request: any) => unknown;

/** Records the executions of devices across all their connections. */
export class ExecutionRecorder {
  private readonly requests: any[] = [];

  /** Returns a device's handler that counts each execution when it starts. */
  createHandler(work: RequestHandlerFunction = echoRequest): RequestHandlerFunction {
    return (request) => {
      this.requests.push(request);
      return work(request);
    };
  }

  get totalCount(): number {
    return this.requests.length;
  }

  countByRequestId(requestId: string): number {
    return this.requests.filter((request) => request.requestId === requestId).length;
  }

  /** Returns the number of executions of a command, which identifies a call without a response. */
  countByMark(command: string): number {
    return this.requests.filter(({ params }) => (params.command ?? params.content) === command).length;
  }

  /** Ids of calls that ran more than once. There must be none. */
  get repeatedRequestIds(): string[] {
    const seen = new Set<string>();
    const ids = this.requests.map((request) => request.requestId as string);
    return ids.filter((id) => seen.has(id) || !seen.add(id));
  }
}
