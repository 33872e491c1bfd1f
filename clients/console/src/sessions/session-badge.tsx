import { Badge, type Tone } from '@external-api/pages';
import type { SessionRecord } from '../content/records';

const ACTIVITIES: Record<SessionRecord['activity'], [tone: Tone, name: string]> = {
  idle: ['quiet', 'idle'],
  running: ['good', 'running'],
  requires_action: ['waiting', 'needs you'],
};

/** State of a session in one word. */
export function SessionBadge({ session: { state, activity } }: { session: Pick<SessionRecord, 'state' | 'activity'> }) {
  const [tone, name] = state === 'ended' ? (['quiet', 'ended'] as const) : ACTIVITIES[activity];
  return <Badge tone={tone}>{name}</Badge>;
}
