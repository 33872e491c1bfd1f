import { Copyable } from '../parts/copyable';
import { Empty } from '../parts/empty';
import { createCurl } from './create-curl';

/** What a receiver must do, and how one is made known. */
export function NoWebhook({ publicUrl }: { publicUrl: string }) {
  return (
    <Empty heading="No webhook yet">
      <p>A webhook posts each event to an address of yours. What receives it there has to</p>
      <ul>
        <li>check the signature, with any library for Standard Webhooks and the signing secret,</li>
        <li>answer with a 2xx within 20 seconds, and do its work afterwards,</li>
        <li>
          expect an event twice: <code>webhook-id</code> is the same then.
        </li>
      </ul>
      <p>
        <a href="/docs/webhooks">How to receive webhooks</a> shows it in code. Make one here, or with a token that has{' '}
        <code>webhooks:manage</code> and <code>sessions:read</code>:
      </p>
      <Copyable block label="Create a webhook" text={createCurl(publicUrl)} />
    </Empty>
  );
}
