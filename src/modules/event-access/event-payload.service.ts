import { Injectable } from '@nestjs/common';
import type { EventType } from '../../core/events';
import { ArtifactContentPolicy } from '../artifacts';
import { SessionContentPolicy } from '../sessions';
import type { EventRecipient } from './event-recipient';

interface RecordedEvent {
  id: string;
  type: EventType;
  payload: string;
}

interface EventPayload {
  data: { id: string; contentGranted: boolean };
}

/** Renders the payloads of events as their recipient sees the records. */
@Injectable()
export class EventPayloadService {
  constructor(
    private readonly sessions: SessionContentPolicy,
    private readonly artifacts: ArtifactContentPolicy,
  ) {}

  /**
   * Returns the payloads of sessions and artifacts whose content the recipient may read, by event id. The payloads of
   * all other events stay as recorded (docs/protocol/webhooks.md#events).
   */
  async renderPayloads(events: readonly RecordedEvent[], recipient: EventRecipient): Promise<Map<string, string>> {
    const payloadsByEvent = new Map<string, string>();
    const parsed = events
      .filter(({ type }) => /^(session|artifact)\./.test(type))
      .map((event) => ({ event, content: JSON.parse(event.payload) as EventPayload }));
    if (parsed.length === 0) return payloadsByEvent;
    const collectIds = (kind: string) =>
      parsed.filter(({ event }) => event.type.startsWith(kind)).map(({ content }) => content.data.id);
    const readableIds = new Set([
      ...(await this.sessions.findReadableSessionIds(recipient, collectIds('session.'))),
      ...(await this.artifacts.findReadableArtifactIds(recipient, collectIds('artifact.'))),
    ]);
    for (const { event, content } of parsed.filter((each) => readableIds.has(each.content.data.id))) {
      content.data.contentGranted = true;
      payloadsByEvent.set(event.id, JSON.stringify(content));
    }
    return payloadsByEvent;
  }
}
