import type { ExternalApiClient } from '@external-api/client';
import { InputError } from './inputs.ts';

const MACHINE_ID = /^mch_[0-9a-z]{26}$/;

/** Returns the ID of a machine by its ID or name. @throws InputError if no machine or several have this name */
export async function findMachineId(client: ExternalApiClient, idOrName: string): Promise<string> {
  if (MACHINE_ID.test(idOrName)) return idOrName;
  const machines = await client.machines.list({ limit: 200 }).toArray();
  const [found, ...others] = machines.filter(({ name }) => name === idOrName);
  if (!found) throw new InputError('The account has no machine with this ID or name.');
  if (others.length > 0) throw new InputError('Several machines have this name. Set the ID of one.');
  return found.id;
}
