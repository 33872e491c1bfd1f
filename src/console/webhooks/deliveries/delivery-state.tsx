import type { DeliveryRecord, DeliveryState as State } from '../../../webhooks';
import { Badge, type Tone } from '../../parts/badge';

const TONES: Record<State, Tone> = {
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'quiet',
};

export const DELIVERY_STATES = Object.keys(TONES) as State[];

export function DeliveryState({ state }: Pick<DeliveryRecord, 'state'>) {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}
