import type { ExternalTokenRecord } from '../../external-tokens';
import { Ask } from '../parts/ask';
import { PageHead } from '../parts/page-head';
import { Time } from '../parts/time';
import { ScopeList } from '../parts/scope-list';
import { TokenState } from './token-state';

const OVERLAPS = [
  { value: '0', text: 'at once' },
  { value: '3600', text: 'in an hour' },
  { value: '86400', text: 'in a day' },
];

export function TokenPage({ token }: { token: ExternalTokenRecord }) {
  return (
    <>
      <PageHead heading={token.name} up={{ path: '/console/tokens', text: 'Tokens' }} />
      <section class="card">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <TokenState state={token.state} />
          </dd>
          <dt>Secret</dt>
          <dd class="mono">{`${token.prefix}…${token.last4}`}</dd>
          <dt>Created</dt>
          <dd>
            <Time at={token.createdAt} />
          </dd>
          <dt>Last used</dt>
          <dd>
            <Time at={token.lastUsedAt} />
          </dd>
          <dt>Expires</dt>
          <dd>
            <Time at={token.expiresAt} />
          </dd>
        </dl>
        <h2>It may</h2>
        <ScopeList scopes={token.scopes} />
      </section>
      {token.state === 'active' && <Acts token={token} />}
    </>
  );
}

function Acts({ token: { id } }: { token: ExternalTokenRecord }) {
  return (
    <section class="acts" aria-label="Rotate or revoke">
      <Ask
        verb="Rotate"
        action={`/console/tokens/${id}/rotate`}
        harmless
        fields={
          <label>
            The old secret ends
            <select name="overlapSeconds">
              {OVERLAPS.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        }
      >
        The token gets a new secret and keeps its name, scopes and expiry. Scripts with the old secret stop working when
        it ends.
      </Ask>
      <Ask
        verb="Revoke"
        action={`/console/tokens/${id}/revoke`}
        fields={
          <label class="box">
            <input type="checkbox" name="webhooks" value="delete" />
            <span>Delete the webhooks that were made with it, too</span>
          </label>
        }
      >
        Everything that uses this token stops working within a second, for good.
      </Ask>
    </section>
  );
}
