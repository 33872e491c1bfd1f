import type { Scope } from '../../../access/auth';
import { SCOPE_LABELS } from './scope-labels';

/** List of scopes with their descriptions. */
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
  const { text, caution } = SCOPE_LABELS[scope];
  return (
    <li>
      {text}
      {caution !== undefined && <small>{caution}</small>}
      <code class="scope">{scope}</code>
    </li>
  );
}
