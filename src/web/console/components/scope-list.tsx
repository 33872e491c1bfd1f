import { SCOPES, type Scope } from '../../../access/auth';

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
  const { consent, caution } = SCOPES[scope];
  return (
    <li>
      {consent}
      {caution !== undefined && <small>{caution}</small>}
      <code class="scope">{scope}</code>
    </li>
  );
}
