import type { ExternalApiClient, Machine } from '../index.ts';
import { formatSuggestion } from './command-line/suggest-name.ts';
import { CliError } from './errors.ts';

const MACHINE_ID = /^mch_[0-9a-z]{26}$/;
const SESSION_ID = /^ses_[0-9a-z]{26}$/;

/** Returns the ID of a machine by its ID or name. @throws CliError if no machine or several have this name */
export async function resolveMachineId(client: ExternalApiClient, idOrName: string): Promise<string> {
  if (MACHINE_ID.test(idOrName)) return idOrName;
  const machines = await client.machines.list({ limit: 200 }).toArray();
  const exact = machines.filter(({ name }) => name === idOrName);
  const similar = machines.filter(({ name }) => name.toLowerCase() === idOrName.toLowerCase());
  const found = exact.length > 0 ? exact : similar;
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1)
    throw new CliError(`${found.length} machines are called "${idOrName}".`, {
      code: 'ambiguous_name',
      hint: `Use an ID: ${found.map(describeMachine).join(', ')}`,
    });
  const names = machines.map(({ name }) => name);
  throw new CliError(`There is no machine "${idOrName}".${formatSuggestion(idOrName, names)}`, {
    code: 'not_found',
    hint: 'See: xapi machines',
  });
}

/** Returns the ID of a session by its ID or tag. @throws CliError */
export async function resolveSessionId(client: ExternalApiClient, idOrTag: string): Promise<string> {
  if (SESSION_ID.test(idOrTag)) return idOrTag;
  const { data } = await client.sessions.list({ tag: idOrTag }).page();
  if (data[0]) return data[0].id;
  throw new CliError(`There is no session with the ID or tag "${idOrTag}".`, {
    code: 'not_found',
    hint: 'See: xapi sessions',
  });
}

const describeMachine = ({ id, state }: Machine) => `${id} (${state})`;
