import type { RequestDraft, RequestMutation } from '../request-draft';
import type { FuzzedOperation } from '../fuzzed-operations';
import type { SeededRandom } from '../seeded-random';

/** Encoded values of a query parameter. */
const QUERY_VALUES = [
  '',
  '0',
  '-1',
  '1',
  '201',
  '1.5',
  '1e2',
  'NaN',
  '9007199254740992',
  '9007199254740993',
  '99999999999999999999999',
  '%00',
  'a%00b',
  '%ff',
  '%c3%28',
  '%',
  '%zz',
  '%u0041',
  '%ed%a0%80',
  'true',
  '[]',
  '%7B%7D',
  '*',
  '%27%3B--',
  'x'.repeat(5_000),
];

/** Wrong, repeated, structured and unknown parameters. */
export function createQueryMutations({ query }: FuzzedOperation): RequestMutation[] {
  const wrong = query.flatMap(({ name }) => QUERY_VALUES.map((value) => `${name}=${value}`));
  const structured = query.flatMap(({ name }) => [
    `${name}=1&${name}=2`,
    `${name}[]=1`,
    `${name}[]=1&${name}[]=2`,
    `${name}[a]=1`,
    `${name}[__proto__]=1`,
    `${name}%5B0%5D=1`,
    `${name}`,
    `${name.toUpperCase()}=1`,
    `${name}.x=1`,
  ]);
  const unknown = ['x=1', '=', '&', 'x', '%', '%ff=1', '__proto__[x]=1', 'constructor=1', 'hasOwnProperty=1'];
  const many = Array.from({ length: 1_500 }, (_, n) => `p${n}=1`).join('&');
  return [...wrong, ...structured, ...unknown, `a${'[a]'.repeat(500)}=1`, many, 'access_token=x'].map((pair) => ({
    name: `query ${pair.slice(0, 40)}`,
    apply: (requestDraft: RequestDraft) => {
      const name = pair.split('=')[0]!;
      requestDraft.query = [...requestDraft.query.filter((given) => !given.startsWith(`${name}=`)), pair];
    },
  }));
}

/** Encoded ids of a path: malformed, of another kind, and hard to decode. */
const PATH_IDS = [
  '%00',
  '%ff',
  '%',
  '%zz',
  '%25',
  '%2e%2e',
  '..',
  '.',
  '%2f',
  'a%2fb',
  '%5c',
  ';x=1',
  '%20',
  '%0d%0aX-Injected:%20yes',
  '%ed%a0%80',
  '%f0%9f%91%a9',
  '*',
  '{id}',
  'null',
  '__proto__',
  'ses_',
  'ses_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  'ses_01m7xsah51f6ctt8c84t8wbh7e',
  'whk_01m7xsah51f6ctt8c84t8wbh7e',
  'x'.repeat(3_000),
];

/** Invalid ids, and other spellings of the path. */
export function createPathMutations({ path }: FuzzedOperation, seededRandom: SeededRandom): RequestMutation[] {
  const template = path.split('/');
  const replaceSegment = (index: number, to: (given: string) => string) => (requestDraft: RequestDraft) => {
    requestDraft.path = requestDraft.path
      .split('/')
      .map((segment, n) => (n === index ? to(segment) : segment))
      .join('/');
  };
  const places = template.flatMap((segment, n) => (segment.startsWith('{') ? [n] : []));
  const ids = places.flatMap((place) =>
    PATH_IDS.map((id) => ({ name: `id ${id.slice(0, 30)}`, apply: replaceSegment(place, () => id) })),
  );
  const encodeOne = (given: string) => {
    const at = seededRandom.nextBelow(given.length);
    const hex = given.charCodeAt(at).toString(16).padStart(2, '0');
    return `${given.slice(0, at)}%${hex}${given.slice(at + 1)}`;
  };
  const last = template.length - 1;
  const spellings: RequestMutation[] = [
    { name: 'path in capitals', apply: (draft) => void (draft.path = draft.path.toUpperCase()) },
    { name: 'path with / at its end', apply: (draft) => void (draft.path += '/') },
    { name: 'path with // at its end', apply: (draft) => void (draft.path += '//') },
    { name: 'path with // at its start', apply: (draft) => void (draft.path = `/${draft.path}`) },
    { name: 'path with a ;', apply: (draft) => void (draft.path += ';x=1') },
    { name: 'path with an extension', apply: (draft) => void (draft.path += '.json') },
    { name: 'path with a NUL', apply: (draft) => void (draft.path += '%00') },
    { name: 'path with a broken escape', apply: (draft) => void (draft.path += '%f') },
    { name: 'path with ..', apply: (draft) => void (draft.path += '/../me') },
    { name: 'path below it', apply: (draft) => void (draft.path += '/x') },
    { name: 'path with an escaped character', apply: replaceSegment(last, encodeOne) },
  ];
  return [...ids, ...spellings];
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

/** Every other method, with and without the body. */
export function createMethodMutations({ method }: FuzzedOperation): RequestMutation[] {
  return METHODS.filter((each) => each !== method).flatMap((each) => [
    { name: `method ${each}`, apply: (requestDraft: RequestDraft) => void (requestDraft.method = each) },
    {
      name: `method ${each} without a body`,
      apply: (requestDraft: RequestDraft) => {
        requestDraft.method = each;
        requestDraft.json = requestDraft.form = requestDraft.bytes = undefined;
      },
    },
  ]);
}
