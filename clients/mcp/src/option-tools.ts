import type { ExternalApiClient } from '@external-api/client';
import { z } from 'zod';
import { defineTool, type Tool } from './tool.ts';

/** Models of some agents have long lists. */
const MAX_VALUES = 200;

const sessionId = z.string().describe('ID of the session, ses_…');
const outputSchema = z.object({
  options: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      category: z.string().nullable().describe('mode, model, thought_level or another one'),
      value: z.string().nullable().describe('Value of the next turn'),
      values: z.array(z.object({ value: z.string(), name: z.string() })),
      omittedValues: z.number(),
    }),
  ),
  commands: z.array(z.object({ name: z.string(), description: z.string() })),
});

/** Tools that show and choose what the agent of a session offers. */
export function createOptionTools(client: ExternalApiClient): Tool[] {
  const toOutput = ({ options, commands }: Awaited<ReturnType<typeof client.sessions.options>>) => ({
    options: options.map(({ id, name, category, value, values }) => ({
      ...{ id, name, category, value },
      values: values.slice(0, MAX_VALUES),
      omittedValues: Math.max(0, values.length - MAX_VALUES),
    })),
    commands,
  });
  return [
    defineTool({
      name: 'read_session_options',
      title: 'Read the options of a coding agent',
      description: 'Shows what the agent of a session offers to choose, such as its model, and its commands.',
      scopes: ['sessions:read'],
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: z.object({ sessionId }),
      outputSchema,
      run: async ({ sessionId: id }, { signal }) => toOutput(await client.sessions.options(id, { signal })),
    }),
    defineTool({
      name: 'change_session_options',
      title: 'Change options of a coding agent',
      description:
        'Chooses values of options for the next turn of a session, all or none of them. Read the options first. A ' +
        'mode in which the agent decides by itself is for tokens that may run commands.',
      scopes: ['sessions:write'],
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      inputSchema: z.object({
        sessionId,
        values: z.record(z.string(), z.string()).describe('Values by the ids of options, such as {"model": "opus"}'),
      }),
      outputSchema,
      run: async ({ sessionId: id, values }, { signal }) =>
        toOutput(await client.sessions.changeOptions(id, values, { signal })),
    }),
  ];
}
