import { encodeDraftBody, buildRequestTarget, type RequestDraft } from '../request-draft';

const CHUNKED_HEADER = 'Transfer-Encoding: chunked';

/** Requests that aren't valid HTTP, as text by their defect. */
export function createMalformedRequests(requestDraft: RequestDraft): Record<string, string> {
  const target = buildRequestTarget(requestDraft);
  const body = encodeDraftBody(requestDraft)?.toString('latin1') ?? '{}';
  const fields = requestDraft.headers.map(([name, value]) => `${name}: ${value}`);
  const request = (line: string, headers: string[], content = body) =>
    [line, 'Host: localhost', 'Connection: close', ...fields, ...headers, '', content].join('\r\n');
  const sent = (...headers: string[]) => request(`POST ${target} HTTP/1.1`, headers);
  const length = `Content-Length: ${body.length}`;
  return {
    'an unknown method': request(`FOO ${target} HTTP/1.1`, [length]),
    'a raw byte in the path': request(`POST ${target}\u00e9 HTTP/1.1`, [length]),
    'HTTP/9.9': request(`POST ${target} HTTP/9.9`, [length]),
    'a space in the path': request(`POST ${target} x HTTP/1.1`, [length]),
    'a negative length': sent('Content-Length: -1'),
    'a length that is no number': sent('Content-Length: x'),
    'an endless length': sent(`Content-Length: ${'9'.repeat(30)}`),
    'two lengths': sent(length, `Content-Length: ${body.length + 1}`),
    'a length and chunks': request(`POST ${target} HTTP/1.1`, [length, CHUNKED_HEADER], `0\r\n\r\n`),
    'a bad chunk': request(`POST ${target} HTTP/1.1`, [CHUNKED_HEADER], 'zz\r\nx\r\n0\r\n\r\n'),
    'a header without a colon': sent(length, 'X-Broken'),
    'a header with a NUL': sent(length, 'X-Broken: a\0b'),
    'a header with a space in its name': sent(length, 'X Broken: x'),
    'headers of 20,000 bytes': sent(length, `X-Long: ${'x'.repeat(20_000)}`),
    'an unknown expectation': sent(length, 'Expect: 200-ok'),
  };
}
