/** Level `error` of pino. */
const ERROR_LEVEL = 50;

declare global {
  // The Jest environment (built/environment.js) reads it when a test fails, and clears it when one starts.
  var describeServerErrors: Set<() => string> | undefined;
}

/**
 * Remembers a 5xx response of the current test, so that a failure of the test shows its cause. Reads the log only then,
 * because the service may log after it has responded.
 * @param logs log lines of the service, which contain no secrets
 */
export function recordServerError({ status, headers }: { status: number; headers: Headers }, logs: string[]): void {
  const requestId = headers.get('x-request-id');
  if (requestId === null) return;
  globalThis.describeServerErrors ??= new Set();
  globalThis.describeServerErrors.add(() => describeServerError(status, requestId, logs));
}

function describeServerError(status: number, requestId: string, logs: string[]): string {
  const lines = logs
    .filter((line) => line.startsWith('{') && line.includes(requestId))
    .map((line) => JSON.parse(line) as { level: number; err?: { stack?: string } })
    .filter(({ level }) => level >= ERROR_LEVEL)
    .flatMap(({ err, ...fields }) => [JSON.stringify(fields), ...(err?.stack?.split('\n') ?? [])]);
  // The bar keeps Jest from taking the service's stack for that of the failure.
  return [`The service answered ${status}:`, ...lines.map((line) => `  | ${line}`)].join('\n');
}
