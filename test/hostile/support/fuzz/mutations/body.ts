import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { OpenApiNode } from '../../../../support/conformance';
import { encodeDraftBody, setHeader, type RequestDraft, type RequestMutation } from '../request-draft';
import type { FuzzedOperation } from '../fuzzed-operations';
import { HOSTILE_TEXTS, HOSTILE_VALUES, nestJson } from '../hostile-values';

/** Members of a JSON body, by their path of names and indexes. */
export type MemberPath = (string | number)[];

const UNKNOWN_NAMES = ['x', '', '__proto__', 'constructor', 'toString', '\ud800', 'a.b', 'n'.repeat(2_000)];
const WIDE_MEMBER_COUNT = 12_000;
const GZIP_BOMB = gzipSync(Buffer.alloc(8_000_000, 0x20));

/** Wrong, missing and unknown members at every path of the schema and the baseline. */
export function createMemberMutations({ body }: FuzzedOperation, baseline: RequestDraft): RequestMutation[] {
  if (!body || baseline.json === undefined) return [];
  const memberPaths = listMemberPaths(body.schema, baseline.json);
  const wrong = memberPaths.flatMap((memberPath) =>
    HOSTILE_VALUES.map((value, n) => ({
      name: `member ${memberPath.join('.')} = value ${n}`,
      apply: (requestDraft: RequestDraft) => setMember(requestDraft, memberPath, structuredClone(value)),
    })),
  );
  const missing = memberPaths.map((memberPath) => ({
    name: `without member ${memberPath.join('.')}`,
    apply: (requestDraft: RequestDraft) => setMember(requestDraft, memberPath, undefined),
  }));
  const unknown = UNKNOWN_NAMES.map((name) => ({
    name: `unknown member ${JSON.stringify(name.slice(0, 20))}`,
    // Inserted into the JSON text, because `__proto__` in a literal doesn't become a member.
    apply: (requestDraft: RequestDraft) => {
      const given = JSON.stringify(requestDraft.json) ?? '{}';
      setTextBody(requestDraft, given.replace(/^\{/, `{${JSON.stringify(name)}:1,`));
    },
  }));
  return [...wrong, ...missing, ...unknown];
}

/** Bodies that aren't JSON objects, are deep or wide, or have the wrong encoding. */
export function createJsonBodyMutations({ body }: FuzzedOperation, baseline: RequestDraft): RequestMutation[] {
  if (!body || baseline.json === undefined) return [];
  const good = JSON.stringify(baseline.json);
  const name = Object.keys(baseline.json as object)[0]!;
  const inside = (json: string) => `{"${name}":${json}}`;
  const texts: Record<string, string> = {
    empty: '',
    blank: ' \n',
    null: 'null',
    number: '0',
    text: '"x"',
    array: `[${good}]`,
    truncated: good.slice(0, -1),
    'trailing comma': good.replace(/\}$/, ',}'),
    comment: `/* */${good}`,
    NaN: inside('NaN'),
    'huge number': inside('1e999'),
    'long number': inside('9'.repeat(2_000)),
    'member given twice': good.replace(/^\{/, `{"${name}":1,`),
    'two values': good + good,
    'lone surrogate': inside('"\\ud800"'),
    'bad escape': inside('"\\x"'),
    'raw control character': inside('"\u0001"'),
    '40 deep': inside(nestJson(40)),
    '70 deep': inside(nestJson(70)),
    '100,000 deep': inside(nestJson(100_000)),
    '40 deep, objects': inside(nestJson(40, '{"a":', '}')),
    '20,000 deep, unfinished': '['.repeat(20_000),
    'wide array': inside(`[${'0,'.repeat(WIDE_MEMBER_COUNT)}0]`),
    'wide array of texts': inside(`[${'"a",'.repeat(WIDE_MEMBER_COUNT)}"a"]`),
    'wide unknown members': `{${Array.from({ length: WIDE_MEMBER_COUNT }, (_, n) => `"u${n}":0`).join()}}`,
    'wide unknown objects': `{${Array.from({ length: 2_000 }, (_, n) => `"u${n}":{"a":[{}]}`).join()}}`,
    'over 1 MiB': inside(`"${'x'.repeat(1_048_576)}"`),
  };
  const spelled = Object.entries(texts).map(([what, json]) => ({
    name: `body: ${what}`,
    apply: (requestDraft: RequestDraft) => setTextBody(requestDraft, json),
  }));
  return [...spelled, ...createEncodingMutations(good)];
}

/** Parameters of a form, and malformed forms. */
export function createFormMutations({ body }: FuzzedOperation, baseline: RequestDraft): RequestMutation[] {
  if (!body || baseline.form === undefined) return [];
  const names = Object.keys(body.schema.properties as OpenApiNode);
  const wrong = names.flatMap((name) =>
    HOSTILE_TEXTS.map((value, n) => ({
      name: `form ${name} = text ${n}`,
      apply: (requestDraft: RequestDraft) => {
        const others = (requestDraft.form ?? []).filter((pair) => !pair.startsWith(`${name}=`));
        requestDraft.form = [...others, `${name}=${encodeURIComponent(Buffer.from(value).toString())}`];
      },
    })),
  );
  const pairs = names.flatMap((name) => [`${name}=a&${name}=b`, `${name}[]=a`, `${name}[x]=a`, `${name}=%ff`]);
  const odd = [...pairs, 'x=y', '=', '&&&', '%', '%zz=%zz', '__proto__=x', 'a='.repeat(3_000)].map((pair) => ({
    name: `form with ${pair.slice(0, 30)}`,
    apply: (requestDraft: RequestDraft) => void (requestDraft.form ??= []).push(pair),
  }));
  const raw: Record<string, string> = {
    empty: '',
    JSON: '{"grant_type":"refresh_token"}',
    'over 64 KiB': `x=${'a'.repeat(70_000)}`,
    'many parameters': Array.from({ length: 3_000 }, (_, n) => `p${n}=1`).join('&'),
  };
  const spelled = Object.entries(raw).map(([what, form]) => ({
    name: `form: ${what}`,
    apply: (requestDraft: RequestDraft) => setTextBody(requestDraft, form),
  }));
  return [...wrong, ...odd, ...spelled, ...createEncodingMutations(baseline.form.join('&'))];
}

/** A valid body in bytes that contradict the headers, or in rarely supported encodings. */
function createEncodingMutations(good: string): RequestMutation[] {
  const bytes: Record<string, [body: Buffer, coding?: string, charset?: string]> = {
    'UTF-16': [Buffer.from(`\ufeff${good}`, 'utf16le')],
    'UTF-16, declared': [Buffer.from(`\ufeff${good}`, 'utf16le'), undefined, 'utf-16'],
    'a byte order mark': [Buffer.from(`\ufeff${good}`)],
    latin1: [Buffer.from(good.replace(/[a-z]/, 'é'), 'latin1')],
    'latin1, declared': [Buffer.from(good, 'latin1'), undefined, 'iso-8859-1'],
    'an unknown charset': [Buffer.from(good), undefined, 'x-none'],
    'broken UTF-8': [Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')])],
    NULs: [Buffer.alloc(200)],
    gzip: [gzipSync(good), 'gzip'],
    'gzip twice': [gzipSync(gzipSync(good)), 'gzip, gzip'],
    'broken gzip': [Buffer.from(good), 'gzip'],
    'cut gzip': [gzipSync(good).subarray(0, 15), 'gzip'],
    'a gzip bomb': [GZIP_BOMB, 'gzip'],
    deflate: [deflateSync(good), 'deflate'],
    brotli: [brotliCompressSync(good), 'br'],
    'an unknown coding': [Buffer.from(good), 'x-none'],
    identity: [Buffer.from(good), 'identity'],
  };
  return Object.entries(bytes).map(([what, [body, coding, charset]]) => ({
    name: `body in ${what}`,
    apply: (requestDraft: RequestDraft) => {
      requestDraft.bytes = body;
      if (coding) setHeader(requestDraft, 'Content-Encoding', coding);
      const type = requestDraft.headers.find(([name]) => name === 'Content-Type')?.[1];
      if (charset && type) setHeader(requestDraft, 'Content-Type', `${type}; charset=${charset}`);
    },
  }));
}

/** A body for a request without one. */
export const UNEXPECTED_BODY_MUTATIONS: readonly RequestMutation[] = ['{}', '{"x":1}', '[', ''].map((body) => ({
  name: `unasked body ${body}`,
  apply: (requestDraft: RequestDraft) => {
    setTextBody(requestDraft, body);
    setHeader(requestDraft, 'Content-Type', 'application/json');
  },
}));

export const CONTENT_TYPE_MUTATIONS: readonly RequestMutation[] = [
  null,
  '',
  'text/plain',
  'application/json; charset=utf-8',
  'application/json; charset="utf-8"; x=y',
  'application/json;',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=latin1',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  ';;;',
  `application/${'x'.repeat(1_000)}`,
].map((type) => ({
  name: `Content-Type: ${type?.slice(0, 60)}`,
  apply: (requestDraft: RequestDraft) => {
    requestDraft.bytes ??= encodeDraftBody(requestDraft) ?? Buffer.from('{}');
    setHeader(requestDraft, 'Content-Type', type);
  },
}));

function setTextBody(requestDraft: RequestDraft, body: string): void {
  requestDraft.bytes = Buffer.from(body);
}

export function setMember(requestDraft: RequestDraft, memberPath: MemberPath, value: unknown): void {
  const container = memberPath
    .slice(0, -1)
    .reduce((outer: unknown, step) => (outer as OpenApiNode)?.[step], requestDraft.json);
  // Another mutation may have replaced or removed the member.
  if (typeof container === 'object' && container !== null) (container as OpenApiNode)[memberPath.at(-1)!] = value;
}

/** Returns each member of the schema, the first item of each array, and the members of objects in the baseline. */
export function listMemberPaths(schema: OpenApiNode, value: unknown, at: MemberPath = []): MemberPath[] {
  const choices = [schema, ...((schema.oneOf as OpenApiNode[] | undefined) ?? [])];
  const properties = Object.assign({}, ...choices.map((choice) => choice.properties as OpenApiNode)) as OpenApiNode;
  const given = (value ?? {}) as Record<string, unknown>;
  const members = Object.entries<OpenApiNode>(properties).flatMap(([name, member]) => {
    if (at.length > 0 && typeof value !== 'object') return [];
    return [[...at, name], ...listMemberPaths(member, given[name], [...at, name])];
  });
  const items = Array.isArray(value) && value.length > 0 ? [[...at, 0]] : [];
  return [...members, ...items];
}
