import { setHeader, type RequestDraft, type RequestMutation } from '../request-draft';
import type { FuzzedOperation } from '../fuzzed-operations';
import { listMemberPaths, setMember, type MemberPath } from './body';

/**
 * Parts whose repetition a careless pattern can read in many ways. The text ends in a line feed, which few patterns
 * accept, so that a backtracking engine tries them all.
 */
const UNITS = [';a=a', ',a', '.a', '-a', '/a', ':a', ' a', '\ta', '&a=a', 'a', ' ', '\u{1f468}\u200d'];
/** Short enough for most limits, and long enough for an exponential pattern to take years. */
const SHORT_LENGTH = 240;
/** Above most limits. The time of a quadratic pattern is seconds. */
const LONG_LENGTH = 60_000;
const LONG_UNITS = [' ', ';a=a'];
/** So that the repeated part fits beside the valid text. */
const MAX_PREFIX_LENGTH = 100;
const HEADERS = ['Accept', 'Authorization', 'Cookie', 'Idempotency-Key', 'If-None-Match', 'traceparent'];

/**
 * Returns requests with such a text in each text of the body, and each parameter of the query and the path. Texts begin
 * with the valid value, since patterns fail early on others.
 */
export function createRepetitiveTextMutations(operation: FuzzedOperation, baseline: RequestDraft): RequestMutation[] {
  const members =
    operation.body && baseline.json !== undefined ? listMemberPaths(operation.body.schema, baseline.json) : [];
  const formNames = baseline.form ? Object.keys((operation.body?.schema.properties ?? {}) as object) : [];
  return [
    ...members.flatMap((path) => {
      const valid = readText(baseline, path);
      if (valid === null) return [];
      const prefix = valid.slice(0, MAX_PREFIX_LENGTH);
      return mutateText(`member ${path.join('.')}`, prefix, LONG_UNITS, (draft, text) => setMember(draft, path, text));
    }),
    ...operation.query.flatMap(({ name }) =>
      mutateText(
        `query ${name}`,
        '',
        [],
        (draft, text) => void draft.query.push(`${name}=${encodeURIComponent(text)}`),
      ),
    ),
    ...formNames.flatMap((name) =>
      mutateText(`form ${name}`, '', [], (draft, text) => {
        draft.form = [
          ...draft.form!.filter((pair) => !pair.startsWith(`${name}=`)),
          `${name}=${encodeURIComponent(text)}`,
        ];
      }),
    ),
    ...mutateText('path', '', [], (draft, text) => {
      draft.path = draft.path.replace(/[^/]+$/, encodeURIComponent(text));
    }),
  ];
}

/** Returns requests with such a text in the headers that the service parses, for all operations alike. */
export function createRepetitiveHeaderMutations(): RequestMutation[] {
  return HEADERS.flatMap((name) =>
    mutateText(`header ${name}`, '', [], (draft, text) =>
      setHeader(draft, name, text.trim().replace(/[^\t\x20-\x7e]/g, '\u00e9')),
    ),
  );
}

function mutateText(
  name: string,
  prefix: string,
  longUnits: readonly string[],
  apply: (draft: RequestDraft, text: string) => void,
): RequestMutation[] {
  const repeat = (unit: string, length: number) => `${prefix}${unit.repeat(length / unit.length)}\n`;
  const texts = [
    ...UNITS.map((unit) => repeat(unit, SHORT_LENGTH)),
    ...longUnits.map((unit) => repeat(unit, LONG_LENGTH)),
  ];
  return texts.map((text) => ({
    name: `${name} = ${JSON.stringify(text.slice(0, 20))}`,
    apply: (draft) => apply(draft, text),
  }));
}

/** Returns the valid text of a member, '' if the baseline leaves it out, and null if it is of another type. */
function readText({ json }: RequestDraft, path: MemberPath): string | null {
  const value = path.reduce((outer: unknown, step) => (outer as Record<string | number, unknown> | null)?.[step], json);
  if (value === undefined) return '';
  return typeof value === 'string' ? value : null;
}
