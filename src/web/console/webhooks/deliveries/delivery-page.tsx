import { Badge, Id } from '@external-api/pages';
import { type DeliveryError, type EventHeaders, buildDeliveryHeaders } from '../../../../modules/webhook-sending';
import {
  type DeliveryWithAttemptsDto,
  type FormattedDelivery,
  readDeliverySubject,
} from '../../../../modules/webhooks';
import { Copyable } from '../../components/copyable';
import { LiveRegion, LiveRegionItem } from '../../components/live-region';
import { PageHead } from '../../components/page-head';
import { Time } from '../../components/time';
import { EVENTS } from '../../../../core/events';
import { DeliveryStateBadge, NextAttempt, ReplayDelivery, SubjectLink, type EndpointState } from './delivery-parts';

interface AttemptErrorLabel {
  text: string;
  /** The failure happened before any part of the request was sent. */
  isUnsent?: boolean;
}

/** Explanations of attempts that failed without a response status. */
const ATTEMPT_ERROR_LABELS: Record<DeliveryError, AttemptErrorLabel> = {
  address_refused: {
    text: "The host does not resolve to a public IP address, or the operator's proxy refuses it",
    isUnsent: true,
  },
  name_not_resolved: { text: 'The host name cannot be resolved', isUnsent: true },
  connection_failed: { text: 'The connection could not be established', isUnsent: true },
  connection_lost: { text: 'The connection closed before the response was complete' },
  tls_failed: { text: 'The TLS handshake failed or the certificate is not trusted', isUnsent: true },
  timeout: { text: 'The response was not complete in time' },
  invalid_response: { text: 'The response is not valid HTTP' },
  redirect: { text: 'The response was a redirect; redirects are not followed' },
  secret_unreadable: {
    text:
      'The signing secret or the headers can no longer be decrypted. Rotate the secret and enter the headers again; ' +
      'the delivery stays pending',
    isUnsent: true,
  },
};

interface DeliveryPageProps extends EndpointState {
  delivery: DeliveryWithAttemptsDto;
  /** The event. */
  payload: string;
  /** What an attempt sends in the present format of the webhook. */
  sent: FormattedDelivery;
  traceparent: string | null;
  /** Attempts after which a delivery fails. */
  maxAttempts: number;
  /** The page is the result of a replay. */
  isReplay: boolean;
}

export function DeliveryPage(props: DeliveryPageProps) {
  const { webhook, delivery, sent, traceparent, isReplay } = props;
  const ownHeaders = Object.fromEntries(webhook.headerNames.map((name) => [name, '(not shown)']));
  const deliveredEvent = { eventId: delivery.eventId, traceparent };
  const logPath = `/console/webhooks/${webhook.id}/deliveries`;
  return (
    <>
      <PageHead
        heading={delivery.type}
        description={`${EVENTS[delivery.type].label}. To ${webhook.url}`}
        parentLink={{ path: logPath, text: 'Delivery log' }}
      />
      {isReplay && (
        <p class="notice" role="status">
          Replay queued.
        </p>
      )}
      <LiveRegion isLive={delivery.state === 'pending'} subject="attempts">
        <LiveRegionItem name="facts">
          <Facts {...props} />
        </LiveRegionItem>
        <LiveRegionItem name="acts">
          <section class="acts" aria-label="Replay">
            <ReplayDelivery delivery={delivery} path={`${logPath}/${delivery.id}`} />
          </section>
        </LiveRegionItem>
        <section data-key="attempts">
          <h2>Attempts</h2>
          <ol class="attempts" data-parts="">
            {delivery.attemptLog.length === 0 && (
              <li class="none" data-key="none">
                No attempts yet.
              </li>
            )}
            {delivery.attemptLog.map((attempt) => (
              <DeliveryAttempt
                key={attempt.at}
                attemptLogEntry={attempt}
                deliveredEvent={deliveredEvent}
                extraHeaders={{ ...sent.headers, ...ownHeaders }}
                url={webhook.url}
              />
            ))}
          </ol>
        </section>
      </LiveRegion>
      <section class="body">
        <h2>Body</h2>
        {webhook.format === 'ntfy' ? (
          <Copyable isBlock label="Body" text={sent.body} />
        ) : (
          <>
            <p>Every attempt sends the same body. It is indented here; Copy copies it byte for byte as sent.</p>
            <Copyable isBlock label="Body" text={sent.body} displayText={indentJson(sent.body)} />
          </>
        )}
      </section>
    </>
  );
}

const indentJson = (json: string) => JSON.stringify(JSON.parse(json), null, 2);

function Facts({ delivery, payload, maxAttempts, ...endpointState }: DeliveryPageProps) {
  const subject = readDeliverySubject(payload);
  const { state, nextAttemptAt, finishedAt, createdAt, eventId } = delivery;
  return (
    <section class="card">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <DeliveryStateBadge delivery={delivery} maxAttempts={maxAttempts} />
          {state === 'cancelled' && (
            <p class="words">
              The creator of the webhook was no longer allowed to receive the event when it was due, or an operator of
              the service has dropped it: then the security log says why.
            </p>
          )}
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>{nextAttemptAt === null ? 'Finished' : 'Next attempt'}</dt>
        <dd>
          {nextAttemptAt === null ? <Time at={finishedAt} /> : <NextAttempt delivery={delivery} {...endpointState} />}
        </dd>
        <dt>Event ID</dt>
        <dd>
          <Id value={eventId} subject="event" />
        </dd>
        {subject && (
          <>
            <dt>Subject</dt>
            <dd>
              <SubjectLink subject={subject} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

type AttemptLogEntry = DeliveryWithAttemptsDto['attemptLog'][number];

interface DeliveryAttemptProps {
  attemptLogEntry: AttemptLogEntry;
  deliveredEvent: EventHeaders;
  /** Headers of the webhook's format, and its own ones, without their values. */
  extraHeaders: Record<string, string>;
  url: string;
}

/** Request and result of one attempt. */
function DeliveryAttempt({ attemptLogEntry: attempt, deliveredEvent, extraHeaders, url }: DeliveryAttemptProps) {
  const { at, durationMs, error } = attempt;
  return (
    <li class="card" data-key={at}>
      <p class="outcome">
        <AttemptOutcome attemptLogEntry={attempt} />
        <Time at={at - durationMs} />
        <span>{`${durationMs} ms`}</span>
      </p>
      {error !== null && <p>{`${ATTEMPT_ERROR_LABELS[error].text}.`}</p>}
      {error !== null && ATTEMPT_ERROR_LABELS[error].isUnsent ? (
        <p class="none">Nothing was sent.</p>
      ) : (
        <RequestHeaders
          url={url}
          headers={{ ...buildDeliveryHeaders(deliveredEvent, at - durationMs), ...extraHeaders }}
        />
      )}
      <ResponseHeaders attemptLogEntry={attempt} />
      <ResponseBody attemptLogEntry={attempt} />
    </li>
  );
}

function AttemptOutcome({ attemptLogEntry: { status, error } }: { attemptLogEntry: AttemptLogEntry }) {
  const isSuccess = error === null && status !== null && status >= 200 && status < 300;
  return <Badge tone={isSuccess ? 'good' : 'bad'}>{status === null ? 'no response' : String(status)}</Badge>;
}

function RequestHeaders({ url, headers }: { url: string; headers: Record<string, string> }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>Request headers</summary>
      <pre class="text" tabIndex={0}>
        {[`POST ${url}`, ...lines, 'webhook-signature: (not stored)'].join('\n')}
      </pre>
    </details>
  );
}

function ResponseHeaders({ attemptLogEntry: { responseHeaders } }: { attemptLogEntry: AttemptLogEntry }) {
  const lines = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>Response headers</summary>
      <pre class="text" tabIndex={0}>
        {lines.join('\n')}
      </pre>
      <p class="fine">Cookies and other headers that may contain secrets aren’t stored.</p>
    </details>
  );
}

function ResponseBody({ attemptLogEntry: { status, response } }: { attemptLogEntry: AttemptLogEntry }) {
  if (status === null) return null;
  if (!response) return <p class="none">The response had no body.</p>;
  return (
    <>
      <h3>Response</h3>
      <pre class="text" tabIndex={0}>
        {response}
      </pre>
    </>
  );
}
