import type { DeliveryWithLogRecord, WebhookRecord } from '../../../webhooks';
import { Copyable } from '../../parts/copyable';
import { Following, Part } from '../../parts/following';
import { PageHead } from '../../parts/page-head';
import { Time } from '../../parts/time';
import { EVENT_WORDS } from '../event-words';
import { DeliveryState } from './delivery-state';
import { NextTry } from './next-try';
import { Replay } from './replay';
import { Try } from './try';

interface DeliveryPageProps {
  webhook: WebhookRecord;
  delivery: DeliveryWithLogRecord;
  /** The body that every try sends. */
  payload: string;
  traceparent: string | null;
}

export function DeliveryPage({ webhook, delivery, payload, traceparent }: DeliveryPageProps) {
  const told = { eventId: delivery.eventId, traceparent };
  const log = `/console/webhooks/${webhook.id}/deliveries`;
  return (
    <>
      <PageHead
        heading={delivery.type}
        about={`${EVENT_WORDS[delivery.type]}. To ${webhook.url}`}
        up={{ path: log, text: 'Delivery log' }}
      />
      <Following live={delivery.state === 'pending'} what="tries">
        <Part name="facts">
          <Facts delivery={delivery} webhook={webhook} />
        </Part>
        <Part name="acts">
          <section class="acts" aria-label="Replay">
            <Replay delivery={delivery} path={`${log}/${delivery.id}`} />
          </section>
        </Part>
        <section data-key="tries">
          <h2>Tries</h2>
          <ol class="tries" data-parts="">
            {delivery.attemptLog.length === 0 && (
              <li class="none" data-key="none">
                Not tried yet.
              </li>
            )}
            {delivery.attemptLog.map((attempt) => (
              <Try key={attempt.at} attempt={attempt} told={told} url={webhook.url} />
            ))}
          </ol>
        </section>
      </Following>
      <section class="body">
        <h2>Body</h2>
        <p>The same on every try. It is indented here; Copy takes it byte for byte as it is sent.</p>
        <Copyable block label="Body" text={payload} shown={JSON.stringify(JSON.parse(payload), null, 2)} />
      </section>
    </>
  );
}

function Facts({ delivery, webhook }: Pick<DeliveryPageProps, 'delivery' | 'webhook'>) {
  const { state, nextAttemptAt, finishedAt, createdAt, eventId } = delivery;
  return (
    <section class="card">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <DeliveryState state={state} />
          {state === 'cancelled' && (
            <p class="words">When its turn came, whoever made the webhook was not allowed to know it any more.</p>
          )}
        </dd>
        <dt>Made</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>{nextAttemptAt === null ? 'Finished' : 'Next try'}</dt>
        <dd>{nextAttemptAt === null ? <Time at={finishedAt} /> : <NextTry delivery={delivery} webhook={webhook} />}</dd>
        <dt>Event id</dt>
        <dd>
          <code>{eventId}</code>
        </dd>
      </dl>
    </section>
  );
}
