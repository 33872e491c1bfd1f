import { ExternalApiClient } from '../client.ts';

/** A request that a client has sent. */
export interface RecordedRequest {
  /** Method, and path below `/external/v1`. */
  call: string;
  query: Record<string, string>;
  body: unknown;
}

/**
 * Creates a client without a service, which records what it sends.
 * @param answers bodies by the call, or functions of the request; all other calls are refused with 404
 */
export function createRecordedClient(answers: Record<string, object | ((request: RecordedRequest) => object)> = {}) {
  const requests: RecordedRequest[] = [];
  const fetch = (input: string | URL | Request, { method = 'GET', body }: RequestInit = {}): Promise<Response> => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    const request: RecordedRequest = {
      call: `${method} ${pathname.replace('/external/v1', '')}`,
      query: Object.fromEntries(searchParams),
      body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
    };
    requests.push(request);
    const answer = answers[request.call];
    const found = typeof answer === 'function' ? (answer as (request: RecordedRequest) => object)(request) : answer;
    const headers = { 'content-type': `application/${found ? '' : 'problem+'}json`, 'x-request-id': 'req_1' };
    const refusal = { status: 404, code: 'not_found', title: 'Not found', detail: 'Not found.', requestId: 'req_1' };
    return Promise.resolve(new Response(JSON.stringify(found ?? refusal), { status: found ? 200 : 404, headers }));
  };
  const client = new ExternalApiClient({ baseUrl: 'https://service.example', token: 'svc_pat_x', fetch });
  return { client, requests };
}
