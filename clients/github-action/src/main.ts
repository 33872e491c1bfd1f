/** Program of the action: one call, its outputs, and exit code 0 only if the work has succeeded. */
import { ApiError, ExternalApiClient } from '@external-api/client';
import { useProxies } from '@external-api/forward-proxy/programs';
import { describeError } from './describe-error.ts';
import { readInputs, type Inputs } from './inputs.ts';
import { maskValue, reportError, reportResult, type Result } from './runner.ts';
import { startAgent } from './start-agent.ts';
import { runCommand, sendMessage } from './work.ts';

const NO_RESULT = { exitCode: null, sessionId: null, turnId: null, output: '', errorOutput: '' };

// The runner sends SIGINT when a person cancels the workflow.
const cancellation = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => cancellation.abort());

const result = await run();
await reportResult(result);
// An exit drops what the runner has not read from the pipe. Without one, idle connections keep the process for a while.
process.stdout.write('', () => process.exit(result.isSuccess ? 0 : 1));

async function run(): Promise<Result> {
  try {
    const inputs = readInputs(process.env);
    maskValue(inputs.token);
    await useProxies();
    return await doWork(inputs);
  } catch (error) {
    reportError(describeError(error));
    const status = error instanceof ApiError ? (error.outcome ?? 'error') : 'error';
    return { ...NO_RESULT, status, isSuccess: false };
  }
}

function doWork({ host, token, work }: Inputs): Promise<Result> {
  const client = new ExternalApiClient({ baseUrl: host, token, userAgent: 'external-api-github-action' });
  const { signal } = cancellation;
  if ('sessionId' in work) return sendMessage(client, work, signal);
  return 'command' in work ? runCommand(client, work, signal) : startAgent(client, { host, work }, signal);
}
