import type { ComponentChildren } from 'preact';
import { ContentApp } from '../components/content-app';
import { Copyable } from '../components/copyable';
import { PageHead } from '../components/page-head';
import type { Viewer } from '../html/viewer';
import { AddMachine } from '../machines/add-machine';
import { NEW_SESSION_LINK } from '../sessions/new-session-link';
import { buildMeCurl } from '../tokens/me-curl';
import { UsageChart, UsageChartLegend } from '../usage/usage-chart';
import { formatNumber } from '../usage/usage-format';
import { sumPeriods } from '../usage/usage-periods';
import type { AccountOverview } from './account-overview-reader';

/** Name of the cookie of a browser whose user has dismissed the first steps. */
export const FIRST_STEPS_COOKIE = 'first-steps';

interface HomePageProps {
  viewer: Viewer;
  overview: AccountOverview;
  publicUrl: string;
  hasDismissedSteps: boolean;
}

/** First steps of a newcomer, then the state of the account at a glance. */
export function HomePage(props: HomePageProps) {
  const { viewer, overview, hasDismissedSteps } = props;
  const steps = listSteps(props);
  return (
    <>
      <PageHead
        heading={`Signed in as ${viewer.username}`}
        actionLink={overview.machines.total > 0 ? NEW_SESSION_LINK : undefined}
      />
      {!hasDismissedSteps && steps.some(({ isDone }) => !isDone) && <FirstSteps steps={steps} />}
      <StateTiles overview={overview} />
      {overview.machines.total > 0 && (
        <section class="part" aria-labelledby="recent-sessions">
          <h2 id="recent-sessions">Recent sessions</h2>
          <ContentApp />
        </section>
      )}
      {overview.hasCalled && <CallsSection overview={overview} />}
      <AccountFacts viewer={viewer} />
    </>
  );
}

interface FirstStep {
  name: string;
  isDone: boolean;
  /** What to do next. */
  content: ComponentChildren;
}

function listSteps({ viewer, overview, publicUrl }: HomePageProps): FirstStep[] {
  const { machines, hasAgentSession, tokenCount, hasCalled } = overview;
  return [
    {
      name: 'Add a machine',
      isDone: machines.total > 0,
      content: <AddMachine publicUrl={publicUrl} username={viewer.username} />,
    },
    {
      name: 'Start an agent',
      isDone: hasAgentSession,
      content: <a href={NEW_SESSION_LINK.path}>Choose what it works on</a>,
    },
    {
      name: 'Create a token',
      isDone: tokenCount > 0,
      content: <a href="/console/tokens/new">Choose its scopes</a>,
    },
    {
      name: 'Make a call',
      isDone: hasCalled,
      content: <Copyable isBlock label="First call" text={buildMeCurl(publicUrl)} />,
    },
  ];
}

/** Steps of a newcomer. The next one says how; the browser remembers in a cookie that the user has dismissed them. */
function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="card" aria-labelledby="first-steps">
      <div class="card-head">
        <h2 id="first-steps">First steps</h2>
        <button type="button" class="plain" data-dismiss={FIRST_STEPS_COOKIE} hidden>
          Dismiss
        </button>
      </div>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name} class={step.isDone ? 'done' : undefined}>
            <strong>{step.name}</strong>
            {step.isDone && <span class="none">done</span>}
            {step === next && <div class="step-content">{step.content}</div>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function StateTiles({ overview }: { overview: AccountOverview }) {
  const { machines, webhooks, turns } = overview;
  return (
    <ul class="tiles" aria-label="State">
      <Tile path="/console/machines" name="Machines online" value={`${machines.online} of ${machines.total}`} />
      <Tile path="/console/sessions?state=running" name="Running turns" value={formatNumber(turns.running)} />
      <Tile
        path="/console/approvals"
        name="Waiting for approval"
        value={formatNumber(turns.waiting)}
        needsAttention={turns.waiting > 0}
      />
      <Tile
        path="/console/webhooks"
        name="Failing webhooks"
        value={`${webhooks.failing} of ${webhooks.total}`}
        needsAttention={webhooks.failing > 0}
      />
    </ul>
  );
}

interface TileProps {
  path: string;
  name: string;
  value: string;
  needsAttention?: boolean;
}

function Tile({ path, name, value, needsAttention = false }: TileProps) {
  return (
    <li class={needsAttention ? 'attention' : undefined}>
      <a href={path}>{name}</a>
      <strong>{value}</strong>
    </li>
  );
}

function CallsSection({ overview: { hours, limits } }: { overview: AccountOverview }) {
  const calls = sumPeriods(hours, ({ requests }) => requests);
  return (
    <section class="part" aria-labelledby="calls">
      <h2 id="calls">Calls in the last 24 hours</h2>
      <UsageChart granularity="hour" periods={hours} title="Calls per hour" markInterval={6} />
      <UsageChartLegend />
      <p class="fine">
        {`${formatNumber(calls)} calls. Left this minute: `}
        {limits
          .map(({ name, limit, remaining }) => `${formatNumber(remaining)} of ${formatNumber(limit)} ${name}`)
          .join(', ')}
        . <a href="/console/usage">Usage</a>
      </p>
    </section>
  );
}

function AccountFacts({ viewer }: { viewer: Viewer }) {
  return (
    <section class="part" aria-labelledby="this-account">
      <h2 id="this-account">This account</h2>
      <p>
        This browser is a device of your account. There is no password: the browser signs you in with keys that never
        leave it.
      </p>
      <dl class="facts">
        <dt>Account</dt>
        <dd>
          <code>{viewer.accountId}</code>
        </dd>
        <dt>This browser</dt>
        <dd>
          <code>{viewer.deviceId}</code>
        </dd>
      </dl>
    </section>
  );
}
