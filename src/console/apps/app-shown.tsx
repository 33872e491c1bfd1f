import type { DeveloperAppRecord } from '../../developer-apps';
import { Copyable } from '../parts/copyable';
import { ShownOnce } from '../parts/shown-once';

interface AppShownProps {
  heading: string;
  app: DeveloperAppRecord;
  clientSecret: string;
}

/** A client secret, with the id that goes with it. */
export function AppShown({ heading, app, clientSecret }: AppShownProps) {
  return (
    <ShownOnce
      heading={heading}
      label={`Client secret of ${app.name}`}
      secret={clientSecret}
      next={{ path: `/console/apps/${app.clientId}`, text: 'I have it' }}
    >
      <h2>The client id that goes with it</h2>
      <Copyable label="Client id" text={app.clientId} />
    </ShownOnce>
  );
}
