import { setHeader, type RequestDraft, type RequestMutation } from '../request-draft';
import type { FuzzedOperation } from '../fuzzed-operations';
import type { SeededRandom } from '../seeded-random';

const HEADER_VALUES: readonly (readonly [name: string, ...values: string[]])[] = [
  [
    'Accept',
    'text/html',
    'application/json',
    'application/problem+json',
    'application/octet-stream',
    'application/*;q=0',
    '*/*;q=0',
    '*/*;q=x',
    ';;;,,,',
    '',
    `${'a/b,'.repeat(1_000)}*/*`,
  ],
  ['If-None-Match', '*', '"', 'W/"x"', ','.repeat(3_000), '"\u00e9"'],
  ['If-Match', '*'],
  ['If-Modified-Since', 'Sun, 06 Nov 2094 08:49:37 GMT', 'x'],
  ['Range', 'bytes=0-0', 'bytes=9-1', 'x'],
  ['Accept-Encoding', 'identity;q=0', '*;q=0', 'x'],
  ['Accept-Language', 'x'.repeat(2_000)],
  ['Cookie', 'a=b; a=c; __proto__=x', '=;=;', `session=${'x'.repeat(3_000)}`],
  ['Origin', 'null', 'https://evil.example', '\u00e9'],
  ['Referer', ':'],
  ['traceparent', '00-0-0-0', `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`, 'x'.repeat(3_000)],
  ['tracestate', ','.repeat(2_000)],
  ['X-Request-Id', 'req_x', '\u00e9'],
  ['X-Forwarded-For', '', ',', 'x', '999.1.1.1', '::', '[::1]:80', '%00', '10.1.1.1, x', 'fe80::1%25eth0'],
  ['X-Forwarded-Proto', 'https', 'x'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Forwarded', 'for="_x"'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Host', 'evil.example', ''],
  ['Via', '1.1 x'],
  ['TE', 'trailers'],
  ['Priority', 'u=9'],
  ['Sec-Fetch-Mode', 'x'],
];
const IDEMPOTENCY_KEYS = ['', 'k', 'k'.repeat(255), 'k'.repeat(256), 'a b', '\u00e9', 'a,b', '"', '\t'];

/** Headers that callers, proxies and browsers set, with odd values. */
export function createHeaderMutations({ acceptsIdempotencyKey: takesKey }: FuzzedOperation): RequestMutation[] {
  const set = ([name, ...values]: readonly [string, ...string[]]) =>
    values.map((value) => ({
      name: `${name}: ${value.slice(0, 40)}`,
      apply: (requestDraft: RequestDraft) => setHeader(requestDraft, name, value),
    }));
  const many = {
    name: 'many headers',
    apply: (requestDraft: RequestDraft) => {
      for (let n = 0; n < 300; n++) requestDraft.headers.push([`X-H-${n}`, 'v']);
    },
  };
  const twice = ['Accept', 'Idempotency-Key', 'Content-Type', 'X-Forwarded-For'].map((name) => ({
    name: `${name} twice`,
    apply: (requestDraft: RequestDraft) => void requestDraft.headers.push([name, 'a/b'], [name, 'c/d']),
  }));
  const keys = takesKey ? set(['Idempotency-Key', ...IDEMPOTENCY_KEYS]) : set(['Idempotency-Key', 'k']);
  return [...HEADER_VALUES.flatMap(set), many, ...twice, ...keys];
}

/** Credentials of other kinds, malformed ones, and none. Each caller has its own address. */
export function createCredentialMutations(
  credentials: readonly string[],
  seededRandom: SeededRandom,
): RequestMutation[] {
  const values = [
    ...credentials.flatMap((token) => [`Bearer ${token}`]),
    `bearer  ${credentials[0]}`,
    `Bearer ${credentials[0]} x`,
    `Bearer ${credentials[0]}\u00e9`,
    'Bearer',
    'Bearer ',
    'Bearer svc_pat_',
    'Bearer svc_dev_x',
    `Bearer ${'x'.repeat(4_000)}`,
    'Bearer \u00ff',
    'Basic',
    'Basic Og==',
    'Basic ====',
    'Basic c3ZjX29hcHBfeDp4',
    'Basic gGFiOv8=',
    'Digest x',
    '',
    ' , ,',
  ];
  const other = values.map((value, n) => ({
    name: `credential ${n}: ${value.slice(0, 20)}`,
    apply: (requestDraft: RequestDraft) => setHeader(requestDraft, 'Authorization', value),
  }));
  const none = {
    name: 'no credential',
    apply: (requestDraft: RequestDraft) => setHeader(requestDraft, 'Authorization', null),
  };
  const two = {
    name: 'two credentials',
    apply: (requestDraft: RequestDraft) => void requestDraft.headers.push(['Authorization', 'Bearer svc_pat_x']),
  };
  return [...other, none, two].map(({ name, apply }) => ({
    name,
    apply: (requestDraft: RequestDraft) => {
      apply(requestDraft);
      setHeader(requestDraft, 'X-Forwarded-For', seededRandom.nextAddress());
    },
  }));
}
