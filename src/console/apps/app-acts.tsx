import type { DeveloperAppRecord } from '../../developer-apps';
import { Form } from '../html/form';
import { Ask } from '../parts/ask';

/** What stops an app, for a while or for good. */
export function AppActs({ app }: { app: DeveloperAppRecord }) {
  const path = `/console/apps/${app.clientId}`;
  return (
    <section class="acts" aria-label="Disable, sign out, delete">
      {app.state === 'active' ? (
        <Ask verb="Disable" action={`${path}/disable`}>
          Everything that it does stops working within a second, and nobody can let it in. Once you enable it, what
          people have allowed works again.
        </Ask>
      ) : (
        <Form action={`${path}/enable`}>
          <button class="secondary">Enable</button>
        </Form>
      )}
      <Ask verb="Sign all users out" action={`${path}/revoke-all`}>
        {`${peopleOf(app)} All its tokens stop working within a second; webhooks that it made and content shared with it end, too. People can let it in again when it asks them.`}
      </Ask>
      <Ask verb="Delete" action={`${path}/delete`}>
        {`${peopleOf(app)} The app, its secrets, all its tokens and the webhooks that it made end within a second, for good. Its client id never comes back.`}
      </Ask>
    </section>
  );
}

function peopleOf({ activeUsers }: DeveloperAppRecord): string {
  if (activeUsers === 0) return 'Nobody uses it now.';
  return activeUsers === 1 ? 'One person uses it.' : `${activeUsers} people use it.`;
}
