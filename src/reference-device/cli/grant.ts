import { readFile } from 'node:fs/promises';
import type { KeyGrantRecord } from '../api-records';
import { parseRecipient, type RecipientKey } from '../grants/recipient';
import { UsageError, type Command } from './command';
import { durationMs } from './duration';
import { AS_MACHINE, findKept, SESSION_OR_ARTIFACT } from './kept';
import { facts, printable, when } from './layout';

export const grantCommand: Command = {
  name: 'grant',
  positionals: [SESSION_OR_ARTIFACT],
  summary: 'Let callers of the API read a session (by id or tag) or an artifact',
  options: {
    token: {
      value: 'TOKEN_ID',
      help: 'only this personal access token, tok_… (default: all of the account)',
    },
    app: { value: 'CLIENT_ID', help: 'only this third-party app, svc_oapp_…' },
    recipient: {
      value: 'FILE',
      help: "a caller's public JWK, X25519 or P-256: only its holder can read, not the service",
    },
    expires: { value: '7d', help: 'end by itself after 30m, 12h, 7d, … (default: until it is revoked)' },
    ...AS_MACHINE,
  },
  async run(call) {
    const bound = { tokenId: call.text('token'), appId: call.text('app') };
    checkIds(bound);
    const expires = call.text('expires');
    const expiresAt = expires === undefined ? undefined : Date.now() + durationMs(expires, 'expires');
    const recipient = await recipientOf(call.text('recipient'));
    const content = await call.content();
    const kept = await findKept(content, call.positional(0));
    const grant = await content.grant(kept, { ...bound, recipient, expiresAt });
    if (call.json) return call.terminal.json(grant);
    call.terminal.line(describe(grant, kept.tag));
    if (!recipient) call.terminal.note('The service opens it for these callers, in memory, one read at a time.');
  },
};

/** Somebody who pastes the secret instead of the id does not see it again. */
function checkIds({ tokenId, appId }: { tokenId?: string; appId?: string }): void {
  if (tokenId !== undefined && appId !== undefined) throw new UsageError('Either --token or --app, not both.');
  if (tokenId !== undefined && !tokenId.startsWith('tok_'))
    throw new UsageError('--token takes the id of a token, tok_…, as "token list" shows it, and never a secret.');
  if (appId !== undefined && !appId.startsWith('svc_oapp_'))
    throw new UsageError('--app takes the client id of an app, svc_oapp_…, and never a secret.');
}

async function recipientOf(file: string | undefined): Promise<RecipientKey | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8');
  try {
    return parseRecipient(text);
  } catch (error) {
    throw new Error(`${file} cannot be granted to. ${(error as Error).message}`, { cause: error });
  }
}

function describe(grant: KeyGrantRecord, tag: string): string {
  return facts([
    ['Grant', grant.id],
    ['Of', `${grant.sessionId ?? grant.artifactId} (${printable(tag)})`],
    ['Opened by', openedBy(grant)],
    ['For', coverOf(grant)],
    ['Ends', endOf(grant)],
  ]);
}

export const openedBy = ({ recipient, recipientKeyId }: KeyGrantRecord): string =>
  recipient === 'service' ? 'the service' : `the key ${printable(recipientKeyId)}`;

export const coverOf = ({ tokenId, appId }: KeyGrantRecord): string => tokenId ?? appId ?? 'all personal access tokens';

export const endOf = ({ expiresAt }: KeyGrantRecord): string =>
  expiresAt === null ? 'when it is revoked' : when(expiresAt);
