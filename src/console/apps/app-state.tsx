import type { DeveloperAppRecord } from '../../developer-apps';
import { Badge } from '../parts/badge';

export function AppState({ state }: Pick<DeveloperAppRecord, 'state'>) {
  return <Badge tone={state === 'active' ? 'good' : 'quiet'}>{state}</Badge>;
}
