const BASE = '/external/v1';
/** Above the 30 s that a relayed call may take. */
const TIMEOUT_MS = 35_000;

export interface Call {
  method: 'GET' | 'POST';
  /** Below `/external/v1` */
  path: string;
  body?: object;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** The HTTP API as any script would use it. */
export class ExternalApi {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @throws Error that says what the service answered, when it is not a success */
  async call(call: Call): Promise<Answer> {
    const { method, path, body } = call;
    const response = await fetch(`${this.url}${BASE}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) {
      const { code, detail, requestId } = answer as { code?: string; detail?: string; requestId?: string };
      throw new Error(`${requestLine(call)} answered ${response.status} ${code}: ${detail} (${requestId})`);
    }
    return { status: response.status, body: answer };
  }

  /** The same call for a POSIX shell, on one line. */
  curl({ path, body }: Call): string {
    const words = ['curl', '-sS', '-w', quote('\\n'), `${this.url}${BASE}${path}`];
    words.push('-H', quote(`Authorization: Bearer ${this.token}`));
    if (body) words.push('-H', quote('Content-Type: application/json'), '-d', quote(JSON.stringify(body)));
    return words.join(' ');
  }
}

/** `POST /external/v1/machines/mch_…/invoke` */
export function requestLine({ method, path }: Call): string {
  return `${method} ${BASE}${path}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
