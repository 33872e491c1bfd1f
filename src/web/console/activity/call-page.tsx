import type { ComponentChildren } from 'preact';
import { Badge, Id } from '@external-api/pages';
import type { RelayActivityEntry } from '../../../modules/relay';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import { Time } from '../components/time';

export const METHOD_LABELS: Record<RelayActivityEntry['method'], string> = {
  'machine.invoke': 'Ran a command',
  'session.message': 'Sent a message',
  'session.cancel': 'Cancelled a turn',
  'session.permission': 'Decided on a permission request',
  'session.start': 'Started a session',
  'session.end': 'Ended a session',
  'agent.sessions': 'Listed the sessions of the machine’s agents',
  'session.options': 'Read the options of an agent',
  'session.configure': 'Changed the options of an agent',
  'invocation.start': 'Started a long-running command',
  'invocation.cancel': 'Cancelled a long-running command',
  'invocation.output': 'Read the output of a command',
};

const OUTCOME_LABELS: Record<NonNullable<RelayActivityEntry['outcome']>, string> = {
  not_delivered: 'not delivered',
  unknown: 'unknown',
  answered: 'device error',
};

export const CALLER_KIND_LABELS: Record<RelayActivityEntry['callerKind'], string> = {
  token: 'Token',
  app: 'App',
  device: 'Device',
};

/** Shows how a call ended. A command that its time limit ended is a success of the call, but not of the command. */
export function CallOutcomeBadge({ call: { status, outcome, timedOut } }: { call: RelayActivityEntry }) {
  if (timedOut) return <Badge tone="bad">timed out</Badge>;
  if (status < 300) return <Badge tone="good">done</Badge>;
  const label = outcome === null ? 'refused' : OUTCOME_LABELS[outcome];
  return <Badge tone={outcome === 'unknown' ? 'waiting' : 'bad'}>{label}</Badge>;
}

interface CallPageProps {
  call: RelayActivityEntry;
  /** Names of machines that still exist, by id. */
  machineNames: ReadonlyMap<string, string>;
}

/** Everything that is stored of one relayed call. */
export function CallPage({ call, machineNames }: CallPageProps) {
  const { callerKind, callerId, callerName, sessionId, machineId, deviceId, deviceName } = call;
  return (
    <>
      <PageHead
        heading={METHOD_LABELS[call.method]}
        parentLink={{ path: '/console/activity', text: 'Activity' }}
        description="The content of calls is never stored."
      />
      <section class="card">
        <dl class="facts">
          <Fact name="Outcome">
            <CallOutcomeBadge call={call} />
          </Fact>
          <Fact name="Response">{`${call.status}${call.code === null ? '' : ` ${call.code}`}`}</Fact>
          <Fact name="Created">
            <Time at={call.createdAt} />
          </Fact>
          <Fact name="Request ID">
            <Copyable label="Request ID" text={call.requestId} />
          </Fact>
          <Fact name={CALLER_KIND_LABELS[callerKind]}>
            {callerKind === 'token' && callerName !== null ? (
              <a href={`/console/tokens/${callerId}`}>{callerName}</a>
            ) : (
              (callerName ?? `deleted (${callerId})`)
            )}
          </Fact>
          {deviceId !== null && <Fact name="Device">{deviceName ?? `deleted (${deviceId})`}</Fact>}
          {machineId !== null && (
            <Fact name="Machine">
              {machineNames.has(machineId) && (
                <a href={`/console/machines/${machineId}`}>
                  <bdi>{machineNames.get(machineId)}</bdi>
                </a>
              )}{' '}
              <Id value={machineId} subject="machine" />
            </Fact>
          )}
          {sessionId !== null && (
            <Fact name="Session">
              <a href={`/console/sessions/${sessionId}`} data-session={sessionId}>
                Session
              </a>{' '}
              <Id value={sessionId} subject="session" />
            </Fact>
          )}
          <Fact name="Size">{`${formatBytes(call.requestBytes)} sent, ${formatBytes(call.resultBytes)} received`}</Fact>
          <Fact name="Duration">
            {`${formatMs(call.totalMs)} in total, ${formatMs(call.deviceMs)} at the device, `}
            {`${formatMs(call.routeMs)} on the way`}
          </Fact>
        </dl>
      </section>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function formatMs(ms: number | null): string {
  return ms === null ? '–' : `${ms} ms`;
}

function formatBytes(bytes: number | null): string {
  return bytes === null ? 'nothing' : `${bytes.toLocaleString('en-US')} bytes`;
}
