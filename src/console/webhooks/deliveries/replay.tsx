import type { DeliveryRecord } from '../../../webhooks';
import { Ask } from '../../parts/ask';

interface ReplayProps {
  delivery: DeliveryRecord;
  /** Of the delivery's page. */
  path: string;
  /** What it is done to, where there are several. */
  what?: string;
}

export function Replay({ delivery: { state }, path, what }: ReplayProps) {
  return (
    <Ask verb="Replay" action={`${path}/replay`} what={what} harmless>
      The same event is sent again now, with the same <code>webhook-id</code>, as a delivery of its own.
      {state === 'pending' && ' This one goes on being tried.'}
      {state === 'delivered' && ' A receiver that keeps no ids does its work twice.'}
    </Ask>
  );
}
