import type { WebhookRecord } from '../../webhooks';
import { Copyable } from '../parts/copyable';
import { ShownOnce } from '../parts/shown-once';

const CHECK = `import { Webhook } from 'standardwebhooks';

const event = new Webhook(process.env.SIGNING_SECRET).verify(body, headers);`;

interface WebhookShownProps {
  heading: string;
  webhook: WebhookRecord;
  secret: string;
}

export function WebhookShown({ heading, webhook, secret }: WebhookShownProps) {
  return (
    <ShownOnce
      heading={heading}
      label="Signing secret"
      secret={secret}
      next={{ path: `/console/webhooks/${webhook.id}`, text: 'I have it' }}
    >
      <h2>Use it</h2>
      <p>
        What receives at <strong class="host">{webhook.url}</strong> checks with it that a request is genuine.{' '}
        <a href="/docs/webhooks">More on receiving</a>
      </p>
      <Copyable block label="Check a signature" text={CHECK} />
    </ShownOnce>
  );
}
