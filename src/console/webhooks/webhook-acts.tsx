import type { WebhookRecord } from '../../webhooks';
import { Form } from '../html/form';
import { Ask } from '../parts/ask';

const OVERLAPS = [
  { value: '86400', text: 'in a day' },
  { value: '3600', text: 'in an hour' },
  { value: '0', text: 'at once' },
];

interface WebhookActsProps {
  webhook: WebhookRecord;
  /** Of the webhook's page. */
  path: string;
}

export function WebhookActs({ webhook: { state }, path }: WebhookActsProps) {
  return (
    <section class="acts" aria-label="Test, pause, rotate or delete">
      {state === 'active' && (
        <>
          <Act verb="Send a test" action={`${path}/test`} />
          <Act verb="Pause" action={`${path}/pause`} />
        </>
      )}
      {state !== 'active' && <Act verb="Resume" action={`${path}/resume`} />}
      <Ask
        verb="Rotate the secret"
        action={`${path}/rotate-secret`}
        harmless
        fields={
          <label>
            The old secret stops signing
            <select name="overlapSeconds">
              {OVERLAPS.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        }
      >
        It gets a new signing secret. Until the old one ends, requests carry both signatures; a receiver that knows the
        old secret alone refuses them from then on.
      </Ask>
      <Ask verb="Delete" action={`${path}/delete`}>
        Nothing is sent to this address any more. Deliveries that wait are dropped, and its log is gone.
      </Ask>
    </section>
  );
}

/** What can be taken back is not asked about. */
function Act({ verb, action }: { verb: string; action: string }) {
  return (
    <Form action={action}>
      <button class="secondary">{verb}</button>
    </Form>
  );
}
