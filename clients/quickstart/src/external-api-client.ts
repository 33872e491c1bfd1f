const BASE_PATH = '/external/v1';
/** Above the 30 s that a relayed call may take. */
const CALL_TIMEOUT_MS = 35_000;

export interface ApiCall {
  method: 'GET' | 'POST';
  /** Below `/external/v1` */
  path: string;
  body?: object;
}

export interface ApiCallResponse {
  status: number;
  body: Record<string, unknown>;
}

interface ProblemMembers {
  code?: string;
  detail?: string;
  requestId?: string;
  /** What the device says in a 502 `device_error`. */
  deviceError?: { code: string; message: string };
}

/** Minimal client of the External API, as a script would write it. */
export class ExternalApiClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @throws Error with the status, code and detail of a response that is not a success */
  async sendRequest(apiCall: ApiCall): Promise<ApiCallResponse> {
    const { method, path, body } = apiCall;
    const response = await fetch(`${this.url}${BASE_PATH}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const responseBody = (await response.json()) as Record<string, unknown>;
    if (!response.ok) {
      const { code, detail, requestId, deviceError } = responseBody as ProblemMembers;
      const reason = deviceError ? `${deviceError.code}: ${deviceError.message}` : `${code}: ${detail}`;
      throw new Error(`${formatRequestLine(apiCall)} returned ${response.status} ${reason} (${requestId})`);
    }
    return { status: response.status, body: responseBody };
  }

  /** Returns the command that sets the token in a POSIX shell. */
  formatTokenCommand(): string {
    return `export TOKEN=${quoteShellArgument(this.token)}`;
  }

  /** Returns the call as a one-line command for a POSIX shell in which the token is set. */
  formatCurlCommand({ path, body }: ApiCall): string {
    const words = ['curl', '-sS', '-w', quoteShellArgument('\\n'), `${this.url}${BASE_PATH}${path}`];
    words.push('-H', '"Authorization: Bearer $TOKEN"');
    if (body)
      words.push(
        '-H',
        quoteShellArgument('Content-Type: application/json'),
        '-d',
        quoteShellArgument(JSON.stringify(body)),
      );
    return words.join(' ');
  }
}

/** `POST /external/v1/machines/mch_…/invoke` */
export function formatRequestLine({ method, path }: ApiCall): string {
  return `${method} ${BASE_PATH}${path}`;
}

function quoteShellArgument(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
