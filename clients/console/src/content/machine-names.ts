import { useEffect, useState } from 'preact/hooks';
import type { AccountApi } from './account-api';
import type { MachineRecord } from './records';

/** Names of machines by id, which are shown when they arrive. Without them, pages show ids. */
export function useMachineNames(api: AccountApi): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    api.getAll<MachineRecord>('/v1/control/machines', { limit: 200 }).then(
      (machines) => setNames(new Map(machines.map(({ id, name }) => [id, name]))),
      () => undefined,
    );
  }, []);
  return names;
}
