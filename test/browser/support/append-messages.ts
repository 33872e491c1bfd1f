import { buildMessageBinding, sealContent, type DataKey } from '@external-api/protocol';
import { expectStatus } from '../../support/device/foreign-device';
import type { ContentFixture } from './content-fixture';

export interface TestMessage {
  localId: string;
  text: string;
  /** By default `assistant`. */
  role?: 'user' | 'assistant' | 'tool' | 'system';
  /** By default plain text. */
  mediaType?: string;
  /** By default that of the session. */
  dataKey?: DataKey;
}

export const TOOL_CALL_MEDIA_TYPE = 'application/vnd.external-api.tool-call+json';

const BATCH_SIZE = 100;

/** Appends messages to the session of the fixture's machine, as its device does. */
export async function appendMessages(
  { machine, service }: Pick<ContentFixture, 'machine' | 'service'>,
  count: number,
  createMessage: (index: number, sessionKey: DataKey) => TestMessage,
): Promise<void> {
  const { sessionId, sessionTag } = machine.machineService.identity;
  const state = (await machine.store.loadState('machine'))!;
  const sessionKey = state.dataKeys![sessionTag]!;
  const sealMessage = async (index: number) => {
    const { localId, text, role = 'assistant', mediaType, dataKey } = createMessage(index, sessionKey);
    const content = { mediaType: mediaType ?? 'text/plain; charset=utf-8', bytes: Buffer.from(text) };
    const place = buildMessageBinding(state.account!.id, sessionTag, localId, role);
    return { localId, role, content: await sealContent(content, dataKey ?? sessionKey, place) };
  };
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const indexes = Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, index) => from + index);
    const messages = await Promise.all(indexes.map(sealMessage));
    expectStatus(await service.http.post(`/v1/sessions/${sessionId}/messages`, state.token!.value, { messages }), 201);
  }
}
