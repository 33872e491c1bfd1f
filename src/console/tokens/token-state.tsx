import type { ExternalTokenRecord } from '../../external-tokens';
import { Badge } from '../parts/badge';

export function TokenState({ state }: Pick<ExternalTokenRecord, 'state'>) {
  return <Badge tone={state === 'active' ? 'good' : 'quiet'}>{state}</Badge>;
}
