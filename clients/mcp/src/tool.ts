import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { describeFailure } from './describe-failure.ts';

/** Hosts give up a call after a time without progress, often a minute. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Call of a tool: its cancellation, and its progress. */
export interface ToolCall {
  signal: AbortSignal;
  reportState: (state: string) => void;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Scopes without which the tool is not offered. */
  scopes: readonly string[];
  annotations: ToolAnnotations;
  inputSchema: z.ZodObject;
  outputSchema: z.ZodObject;
  run(input: Record<string, unknown>, call: ToolCall): Promise<Record<string, unknown>>;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> = Omit<
  Tool,
  'inputSchema' | 'outputSchema' | 'run'
> & {
  inputSchema: Input;
  outputSchema: Output;
  run(input: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
};

/** Defines a tool whose `run` has the types of its schemas. The SDK validates the input before it calls it. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  return definition;
}

/** Record of the API, of which these fields are described and all others are passed on. */
export function record<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject({ id: z.string(), ...shape });
}

/** Runs a tool. Its result is structured and repeated as text, and its failure is a result that advises the model. */
export async function runTool(tool: Tool, input: Record<string, unknown>, extra: Extra): Promise<CallToolResult> {
  const progress = startProgress(extra);
  try {
    const result = await tool.run(input, { signal: extra.signal, reportState: progress.reportState });
    return { content: [{ type: 'text', text: JSON.stringify(result, null, 2) }], structuredContent: result };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: describeFailure(error) }] };
  } finally {
    progress.stop();
  }
}

/** Sends the elapsed seconds and the last state, if the host has asked for progress. */
function startProgress({ _meta, sendNotification, signal }: Extra) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return { reportState: () => undefined, stop: () => undefined };
  const startedAt = performance.now();
  let message = 'starting';
  let last = -1;
  const send = () => {
    if (signal.aborted) return;
    // Progress must grow with each notification.
    last = Math.max(last + 0.001, (performance.now() - startedAt) / 1_000);
    const params = { progressToken, progress: Number(last.toFixed(3)), message };
    sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const timer = setInterval(send, PROGRESS_INTERVAL_MS);
  return {
    reportState: (state: string) => {
      message = state;
      send();
    },
    stop: () => clearInterval(timer),
  };
}
