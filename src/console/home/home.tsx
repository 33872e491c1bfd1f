import type { Viewer } from '../html/viewer';

export function Home({ viewer }: { viewer: Viewer }) {
  return (
    <section class="card">
      <h1>{`Signed in as ${viewer.username}`}</h1>
      <p>
        This browser is a device of your account. It has no password: it proves who you are with keys that never leave
        it.
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
      <p>
        New here? <a href="/docs/getting-started">Getting started</a> makes a first call in five minutes.
      </p>
    </section>
  );
}
