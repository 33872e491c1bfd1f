import { Table, type TableColumn } from '@external-api/pages';
import type { Scope } from '../../../access/auth';
import type { AuthorizedAppDto } from '../../../modules/developer-apps';
import type { ExternalTokenDto } from '../../../modules/personal-access-tokens';

/** What scopes allow on a machine. */
const USES: readonly (readonly [scope: Scope, use: string])[] = [
  ['machines:invoke', 'run commands and start sessions'],
  ['sessions:write', 'send messages to its agents'],
  ['sessions:approve', 'decide on what agents ask'],
];

interface MachineUser {
  name: string;
  path: string;
  kind: string;
  uses: string;
}

/** Returns the tokens and apps that can act on a machine. A token may be limited to others. */
export function listMachineUsers(
  machineId: string,
  tokens: readonly ExternalTokenDto[],
  apps: readonly AuthorizedAppDto[],
): MachineUser[] {
  const describeUses = (scopes: readonly Scope[]) =>
    USES.flatMap(([scope, use]) => (scopes.includes(scope) ? [use] : [])).join(', ');
  const isUsable = ({ state, machineIds }: ExternalTokenDto) =>
    state === 'active' && (machineIds === null || machineIds.includes(machineId));
  return [
    ...tokens.filter(isUsable).map(({ id, name, scopes }) => {
      return { name, path: `/console/tokens/${id}`, kind: 'Token', uses: describeUses(scopes) };
    }),
    ...apps.map(({ name, scopes }) => {
      return { name, path: '/console/authorized-apps', kind: 'App', uses: describeUses(scopes) };
    }),
  ].filter(({ uses }) => uses !== '');
}

const COLUMNS: readonly TableColumn<MachineUser>[] = [
  {
    name: 'Name',
    cell: ({ name, path }) => (
      <a href={path}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'May', cell: ({ uses }) => uses },
];

export function MachineUsers({ users }: { users: readonly MachineUser[] }) {
  return (
    <section class="part" aria-labelledby="machine-users">
      <h2 id="machine-users">Who may use it</h2>
      <p>
        All <a href="/console/devices">account devices</a> can do everything with this machine. So can, in part:
      </p>
      {users.length === 0 ? (
        <p class="none">No token and no app.</p>
      ) : (
        <Table
          caption="Tokens and apps that may use the machine"
          columns={COLUMNS}
          rows={users}
          getKey={({ path, name }) => `${path} ${name}`}
        />
      )}
    </section>
  );
}
