import type { Scope } from '../../../access/auth';
import { ContentApp } from '../components/content-app';

/** Scopes with which a token or an app reads content that is shared with it. */
const CONTENT_SCOPES: readonly Scope[] = ['sessions:content', 'artifacts:content'];

/** Returns whether content can be shared with the holder of these scopes. */
export const canReadContent = (scopes: readonly Scope[]): boolean =>
  scopes.some((scope) => CONTENT_SCOPES.includes(scope));

interface ShareSessionsSectionProps {
  /** Id of the token, or client id of the app. */
  granteeId: string;
  name: string;
  /** Configured address of the host. */
  publicUrl: string;
}

/** Selects sessions to share with one token or app. The page loads `share-sessions.js`. */
export function ShareSessionsSection({ granteeId, name, publicUrl }: ShareSessionsSectionProps) {
  return (
    <section class="card" id="share" aria-labelledby="share-heading">
      <h2 id="share-heading">Share sessions</h2>
      <p>
        Your devices encrypt sessions. {name} reads the ones whose keys you share here, and the artifacts that use the
        same key. You can revoke each under “Who can read” of the session.
      </p>
      <ContentApp props={{ granteeId, audience: publicUrl }} />
    </section>
  );
}
