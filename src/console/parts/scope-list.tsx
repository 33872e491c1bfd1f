import type { Scope } from '../../auth';
import { SCOPE_WORDS } from './scope-words';

/** Scopes in plain words. */
export function ScopeList({ scopes }: { scopes: readonly Scope[] }) {
  return (
    <ul class="scopes">
      {scopes.map((scope) => (
        <ScopeItem key={scope} scope={scope} />
      ))}
    </ul>
  );
}

function ScopeItem({ scope }: { scope: Scope }) {
  const { may, mind } = SCOPE_WORDS[scope];
  return (
    <li>
      {may}
      {mind !== undefined && <small>{mind}</small>}
      <code class="scope">{scope}</code>
    </li>
  );
}
