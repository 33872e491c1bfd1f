import { ConformanceValidator, EXTERNAL_API, type DocumentedApi, type OpenApiNode } from '../../../support/conformance';
import { buildRequestTarget, type RequestDraft } from './request-draft';
import type { FuzzResponse } from './raw-request-client';

const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** Validates responses against the served document and the rules for all errors. */
export class ResponseValidator {
  private readonly conformanceValidator: ConformanceValidator;

  constructor(document: OpenApiNode, api: DocumentedApi = EXTERNAL_API) {
    this.conformanceValidator = new ConformanceValidator(document, api);
  }

  /** Returns the violation of the response, or null. */
  findViolation(requestDraft: RequestDraft, answer: FuzzResponse): string | null {
    const { status, headers, body } = answer;
    if (status === 500) return `500: ${JSON.stringify(body)}`;
    if (!headers.has('x-request-id')) return `${status} without X-Request-Id`;
    try {
      this.conformanceValidator.assertExchange({
        method: requestDraft.method,
        path: buildRequestTarget(requestDraft),
        ...answer,
      });
    } catch (error) {
      return (error as Error).message;
    }
    const isProblem = headers.get('content-type')?.startsWith(PROBLEM_CONTENT_TYPE);
    if (status < 400 || requestDraft.method === 'HEAD') return null;
    return isProblem ? findProblemViolation(answer) : findErrorFormatViolation(requestDraft, answer);
  }
}

/** Every error has a code and the id of X-Request-Id, unless it is the stored response of an earlier call. */
function findProblemViolation({ status, headers, body }: FuzzResponse): string | null {
  const problem = body as OpenApiNode;
  if (typeof problem?.code !== 'string') return `${status} without a code`;
  if (problem.status !== status) return `${status} with the status ${problem.status} in its body`;
  if (headers.has('idempotency-replayed')) return null;
  const id = headers.get('x-request-id');
  return problem.requestId === id ? null : `requestId ${problem.requestId}, X-Request-Id ${id}`;
}

/** Only OAuth endpoints have other errors: JSON by RFC 6749, or a page. */
function findErrorFormatViolation({ path }: RequestDraft, { status, headers, body }: FuzzResponse): string | null {
  const type = headers.get('content-type');
  if (!/\/oauth\//i.test(path)) return `${status} as ${type}`;
  if (type?.startsWith('text/html')) return null;
  return typeof (body as OpenApiNode)?.error === 'string' ? null : `${status} without an error`;
}

/**
 * Returns the violation of the response to bytes that aren't valid HTTP, or null. The HTTP parser or the service must
 * respond with a client error, and a problem document must be complete.
 */
export function findMalformedRequestViolation(answer: string): string | null {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  if (!status) return `no answer: ${JSON.stringify(answer.slice(0, 200))}`;
  if (status < 400 || (status >= 500 && ![501, 505].includes(status))) return `status ${status}`;
  const [head, body] = answer.split('\r\n\r\n') as [string, string?];
  if (!head.includes(PROBLEM_CONTENT_TYPE) || !body) return null;
  const id = /^x-request-id: (\S+)$/im.exec(head)?.[1];
  const problem = JSON.parse(/\{.*\}/s.exec(body)![0]) as OpenApiNode;
  const good = typeof problem.code === 'string' && problem.status === status && problem.requestId === id;
  return good ? null : `${head}\n${body}`;
}
