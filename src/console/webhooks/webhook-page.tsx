import type { WebhookRecord } from '../../webhooks';
import { PageHead } from '../parts/page-head';
import { Time } from '../parts/time';
import type { Names } from './creator-names';
import { EventList } from './event-list';
import { LastDelivery } from './last-delivery';
import { MadeBy } from './made-by';
import { WebhookActs } from './webhook-acts';
import { StateInWords, WebhookState } from './webhook-state';

interface WebhookPageProps {
  webhook: WebhookRecord;
  names: Names;
  /** Why what was asked for was not done. */
  problem: string | null;
}

export function WebhookPage({ webhook, names, problem }: WebhookPageProps) {
  const path = `/console/webhooks/${webhook.id}`;
  return (
    <>
      <PageHead
        heading={webhook.url}
        about={webhook.description ?? undefined}
        up={{ path: '/console/webhooks', text: 'Webhooks' }}
        act={{ path: `${path}/deliveries`, text: 'Delivery log' }}
      />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      <section class="card">
        <Facts webhook={webhook} names={names} />
        <h2>It is told when</h2>
        <EventList events={webhook.events} />
      </section>
      <WebhookActs webhook={webhook} path={path} />
    </>
  );
}

function Facts({ webhook, names }: Omit<WebhookPageProps, 'problem'>) {
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <WebhookState webhook={webhook} />
        <p class="words">
          <StateInWords webhook={webhook} />
        </p>
      </dd>
      <dt>Last try</dt>
      <dd>
        <LastDelivery webhook={webhook} />
      </dd>
      <dt>Made by</dt>
      <dd>
        <MadeBy webhook={webhook} names={names} />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={webhook.createdAt} />
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{webhook.id}</code>
      </dd>
    </dl>
  );
}
