import type { SubscribedEvent } from '../../webhooks';
import { EVENT_WORDS } from './event-words';

/** What a webhook is told, in plain words. */
export function EventList({ events }: { events: readonly SubscribedEvent[] }) {
  const types = events.filter((event) => event !== '*');
  if (types.length < events.length) {
    return (
      <p>
        Everything that its creator may see, also kinds of events that are added later <code>*</code>
      </p>
    );
  }
  return (
    <ul class="scopes">
      {types.map((type) => (
        <li key={type}>
          {EVENT_WORDS[type]}
          <code class="scope">{type}</code>
        </li>
      ))}
    </ul>
  );
}
