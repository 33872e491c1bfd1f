/** Program of the action: one call, its outputs, and exit code 0 only if the work has succeeded. */
import { ApiError, ExternalApiClient, WaitTimeoutError } from '@external-api/client';
import { InputError, readInputs, type Inputs } from './inputs.ts';
import { maskValue, reportError, reportResult, type Result } from './runner.ts';
import { runCommand, sendMessage } from './work.ts';

const NO_RESULT = { exitCode: null, turnId: null, output: '', errorOutput: '' };

// The runner sends SIGINT when a person cancels the workflow.
const cancellation = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cancellation.abort());

const result = await run();
await reportResult(result);
process.exit(result.isSuccess ? 0 : 1);

async function run(): Promise<Result> {
  try {
    const inputs = readInputs(process.env);
    maskValue(inputs.token);
    return await doWork(inputs);
  } catch (error) {
    reportError(describe(error));
    const status = error instanceof ApiError ? (error.outcome ?? 'error') : 'error';
    return { ...NO_RESULT, status, isSuccess: false };
  }
}

function doWork({ host, token, work }: Inputs): Promise<Result> {
  const client = new ExternalApiClient({ baseUrl: host, token, userAgent: 'external-api-github-action' });
  return 'sessionId' in work
    ? sendMessage(client, work, cancellation.signal)
    : runCommand(client, work, cancellation.signal);
}

function describe(error: unknown): string {
  if (error instanceof InputError || error instanceof WaitTimeoutError) return error.message;
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const { code, outcome, requestId, problem } = error;
  const deviceError = problem?.deviceError as { code: string; message: string } | undefined;
  const reason = deviceError ? ` ${deviceError.code}: ${deviceError.message}` : '';
  const known = outcome === 'unknown' ? ' It may have run: check its effect.' : '';
  return `${code}: ${error.message}${reason}${known} (${requestId ?? 'no request ID'})`;
}
