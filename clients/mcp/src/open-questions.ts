import type { ExternalApiClient, QuestionContent } from '@external-api/client';
import { z } from 'zod';
import { isRefusal } from './describe-failure.ts';

/** A question of an agent that waits for an answer. */
export const openQuestion = z.object({
  id: z.string(),
  title: z.string().nullable().describe('null if the session is not shared with the token'),
  message: z.string().nullable(),
  fields: z.array(z.object({ name: z.string(), title: z.string(), choices: z.array(z.string()) })),
});

/** Reads what the agent of a session asks. No tool answers it: an agent asks so that a person decides. */
export async function readOpenQuestions(
  client: ExternalApiClient,
  sessionId: string,
  canReadContent: boolean,
  signal: AbortSignal,
): Promise<z.infer<typeof openQuestion>[]> {
  const pending = await client.sessions.permissionRequests(sessionId, { state: 'pending' }, { signal }).toArray();
  const questions = pending.filter(({ options }) => options.length === 0);
  return Promise.all(
    questions.map(async ({ id }) => {
      const content = canReadContent ? await readContent(client, sessionId, id, signal) : null;
      const fields = Object.entries(content?.schema.properties ?? {}).map(([name, field]) => ({
        name,
        title: field.title ?? name,
        choices: listChoices(field),
      }));
      return { id, title: content?.title ?? null, message: content?.message ?? null, fields };
    }),
  );
}

async function readContent(client: ExternalApiClient, sessionId: string, id: string, signal: AbortSignal) {
  try {
    const { text } = await client.sessions.permissionContent(sessionId, id, { signal });
    return JSON.parse(text) as QuestionContent;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
}

function listChoices(field: QuestionContent['schema']['properties'][string]): string[] {
  if (field.type === 'array') return field.items.anyOf?.map(({ title }) => title) ?? field.items.enum ?? [];
  return field.type === 'string' ? (field.oneOf?.map(({ title }) => title) ?? field.enum ?? []) : [];
}
