/** Request that mutations change before it is sent. */
export interface RequestDraft {
  method: string;
  /** Encoded path. */
  path: string;
  /** Encoded pairs of the query string. */
  query: string[];
  headers: [name: string, value: string][];
  /** JSON body, unless `bytes` is set. */
  json?: unknown;
  /** Encoded pairs of a form, unless `bytes` is set. */
  form?: string[];
  bytes?: Buffer;
}

/** Changes a request. Each draft is a copy, so mutations may change all of it. */
export interface RequestMutation {
  name: string;
  apply(requestDraft: RequestDraft): void;
}

export const copyDraft = (requestDraft: RequestDraft): RequestDraft => structuredClone(requestDraft);

export function setHeader(requestDraft: RequestDraft, name: string, value: string | null): void {
  requestDraft.headers = requestDraft.headers.filter(([given]) => given.toLowerCase() !== name.toLowerCase());
  if (value !== null) requestDraft.headers.push([name, value]);
}

export function encodeDraftBody({ bytes, json, form }: RequestDraft): Buffer | null {
  if (bytes) return bytes;
  if (form) return Buffer.from(form.join('&'));
  return json === undefined ? null : Buffer.from(JSON.stringify(json));
}

export function buildRequestTarget({ path, query }: RequestDraft): string {
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/** Formats a request as one line that a person can repeat. */
export function describeDraft(requestDraft: RequestDraft): string {
  const shorten = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text);
  const headers = requestDraft.headers.map(([name, value]) => `${name}: ${shorten(value)}`).join(' | ');
  const body = encodeDraftBody(requestDraft);
  const bodyText = body ? ` ${shorten(JSON.stringify(body.toString('latin1')))}` : '';
  return `${requestDraft.method} ${shorten(buildRequestTarget(requestDraft))} [${headers}]${bodyText}`;
}
