import { keyGrants, revokeKeyGrant } from '../grants/key-grants';
import type { Command } from './command';
import { coverOf, endOf, openedBy } from './grant';
import { AS_MACHINE, findKept, SESSION_OR_ARTIFACT } from './kept';
import { table, when } from './layout';

export const grantsCommand: Command = {
  name: 'grants',
  positionals: [SESSION_OR_ARTIFACT],
  summary: 'List who may read it',
  options: AS_MACHINE,
  async run(call) {
    const content = await call.content();
    const kept = await findKept(content, call.positional(0));
    const grants = await keyGrants(content.device, kept);
    if (call.json) return call.terminal.json(grants);
    const rows = grants.map((grant) => [
      grant.id,
      when(grant.createdAt),
      endOf(grant),
      openedBy(grant),
      coverOf(grant),
    ]);
    call.terminal.line(table(['ID', 'SINCE', 'ENDS', 'OPENED BY', 'FOR'], rows));
  },
};

export const revokeGrantCommand: Command = {
  name: 'revoke-grant',
  positionals: [SESSION_OR_ARTIFACT, 'GRANT_ID'],
  summary: 'End a grant at once',
  options: AS_MACHINE,
  async run(call) {
    const content = await call.content();
    const kept = await findKept(content, call.positional(0));
    await revokeKeyGrant(content.device, kept, call.positional(1));
    if (call.json) call.terminal.json({ revoked: true });
    else call.terminal.line('Revoked: the service gives out nothing by it from now on.');
  },
};
