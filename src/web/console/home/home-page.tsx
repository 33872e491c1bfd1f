import { ContentApp } from '../components/content-app';
import type { Viewer } from '../html/viewer';
import { UsageChart, UsageChartLegend } from '../usage/usage-chart';
import { formatNumber } from '../usage/usage-format';
import { sumPeriods } from '../usage/usage-periods';
import type { AccountOverview } from './account-overview-reader';

interface HomePageProps {
  viewer: Viewer;
  overview: AccountOverview;
}

/** First steps of a newcomer, then the state of the account at a glance. */
export function HomePage({ viewer, overview }: HomePageProps) {
  const steps = listSteps(overview);
  return (
    <>
      <div class="page-head">
        <h1>{`Signed in as ${viewer.username}`}</h1>
      </div>
      {steps.some(({ isDone }) => !isDone) && <FirstSteps steps={steps} />}
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
  link: { path: string; text: string };
}

function listSteps({ machines, tokenCount, hasCalled, webhooks }: AccountOverview): FirstStep[] {
  return [
    {
      name: 'Add a machine',
      isDone: machines.total > 0,
      link: { path: '/console/machines', text: 'Start the device on it' },
    },
    {
      name: 'Create a token',
      isDone: tokenCount > 0,
      link: { path: '/console/tokens/new', text: 'Choose its scopes' },
    },
    {
      name: 'Make the first call',
      isDone: hasCalled,
      link: { path: '/docs/getting-started', text: 'Copy the command' },
    },
    {
      name: 'Add a webhook',
      isDone: webhooks.total > 0,
      link: { path: '/console/webhooks/new', text: 'Enter a URL' },
    },
  ];
}

function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  return (
    <section class="card" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol class="steps">
        {steps.map(({ name, isDone, link }) => (
          <li key={name} class={isDone ? 'done' : undefined}>
            <strong>{name}</strong>
            {isDone ? <span class="none">done</span> : <a href={link.path}>{link.text}</a>}
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
