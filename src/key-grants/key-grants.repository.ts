import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork } from '../persistence';
import type { ContentCaller } from '../sessions';
import type { KeyGrantRow } from './key-grant-record';
import { KeyGrantEntity } from './key-grant.entity';

/** What a grant opens: a session, or one artifact. */
export type GrantedResource = { sessionId: string; artifactId?: never } | { artifactId: string; sessionId?: never };

/** With the token that it is for; not as EXISTS, of which PostgreSQL may make a hash of all tokens. */
const GRANTS = 'key_grants g LEFT JOIN external_tokens t ON t.id = g.token_id';

/** A grant that covers a caller: to the service by a key that it has or misses, or to the caller's own key. */
export type CoveringGrant = KeyGrantRow & { kind: 'service' | 'missing' | 'caller' };

/** A grant ends with its time or its token; `now` is a placeholder. */
const stands = (now: string) => `(g.expires_at IS NULL OR g.expires_at > ${now})
  AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now})`;

/** Whom it names: one token, one app, or with neither the account's personal access tokens. */
const COVERS = `CASE WHEN $2::text IS NULL THEN g.app_id IS NULL AND (g.token_id IS NULL OR g.token_id = $3)
                     ELSE g.app_id = $2 END`;

@Injectable()
export class KeyGrantsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  async insert(grant: KeyGrantEntity): Promise<void> {
    await this.unitOfWork.manager.insert(KeyGrantEntity, grant);
  }

  async count({ sessionId, artifactId }: GrantedResource): Promise<number> {
    const [row] = await this.unitOfWork.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM key_grants WHERE session_id = $1 OR artifact_id = $2',
      [sessionId ?? null, artifactId ?? null],
    );
    return row!.count;
  }

  /** The same grant: for the same recipient's key, bound to the same, until the same time. */
  async findSame(grant: KeyGrantEntity): Promise<KeyGrantRow | undefined> {
    const [row] = await this.unitOfWork.query<KeyGrantRow>(
      `SELECT * FROM key_grants g
        WHERE g.account_id = $1 AND (g.session_id = $2 OR g.artifact_id = $3)
          AND (g.recipient IS NULL) = $4 AND g.recipient_thumbprint = $5
          AND g.token_id IS NOT DISTINCT FROM $6 AND g.app_id IS NOT DISTINCT FROM $7
          AND g.expires_at IS NOT DISTINCT FROM $8::timestamptz`,
      [
        grant.accountId,
        grant.sessionId,
        grant.artifactId,
        grant.recipient === null,
        grant.recipientThumbprint,
        grant.tokenId,
        grant.appId,
        grant.expiresAt,
      ],
    );
    return row;
  }

  /** Those that stand. */
  page(accountId: string, resource: GrantedResource, now: Date, query: PageQuery): Promise<Page<KeyGrantRow>> {
    const [column, id] = resource.sessionId
      ? (['session_id', resource.sessionId] as const)
      : (['artifact_id', resource.artifactId] as const);
    return this.pager.page<KeyGrantRow>(
      {
        name: 'key-grants',
        owner: id!,
        select: `SELECT g.* FROM ${GRANTS}`,
        key: byCreation('g'),
        where: (_, bind) => [
          `g.account_id = ${bind(accountId)}`,
          `g.${column} = ${bind(id)}`,
          stands(`${bind(now)}::timestamptz`),
        ],
      },
      query,
    );
  }

  /** The grant as it was, undefined when there is none of this id on the resource. */
  async delete(accountId: string, resource: GrantedResource, id: string): Promise<KeyGrantRow | undefined> {
    const [row] = await this.unitOfWork.query<KeyGrantRow>(
      `DELETE FROM key_grants WHERE account_id = $1 AND id = $2 AND (session_id = $3 OR artifact_id = $4)
       RETURNING *`,
      [accountId, id, resource.sessionId ?? null, resource.artifactId ?? null],
    );
    return row;
  }

  /** All of the accounts that name the app. */
  async deleteOfApp(appId: string, accountIds: string[]): Promise<KeyGrantRow[]> {
    return this.unitOfWork.query<KeyGrantRow>(
      'DELETE FROM key_grants WHERE app_id = $1 AND account_id = ANY($2) RETURNING *',
      [appId, accountIds],
    );
  }

  /**
   * Of those on the session or the artifact that stand and cover the caller, the best of each kind: bound to the
   * caller's own token before all tokens', then the newest.
   * @param heldKeys thumbprints of the service's own
   */
  covering(
    caller: ContentCaller,
    { sessionId, artifactId }: { sessionId: string | null; artifactId: string | null },
    heldKeys: string[],
    now: Date,
  ): Promise<CoveringGrant[]> {
    return this.unitOfWork.query<CoveringGrant>(
      `SELECT DISTINCT ON (kind) g.*, kind FROM ${GRANTS},
          LATERAL (SELECT CASE WHEN g.recipient IS NOT NULL THEN 'caller'
                               WHEN g.recipient_thumbprint = ANY($6) THEN 'service' ELSE 'missing' END AS kind) k
        WHERE g.account_id = $1 AND ${COVERS} AND (g.session_id = $4 OR g.artifact_id = $5)
          AND ${stands('$7::timestamptz')}
        ORDER BY kind, g.token_id IS NULL, g.created_at DESC, g.id DESC`,
      [caller.accountId, caller.appId, caller.tokenId, sessionId, artifactId, heldKeys, now],
    );
  }

  async stillStands(id: string, now: Date): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `SELECT 1 FROM ${GRANTS} WHERE g.id = $1 AND ${stands('$2::timestamptz')}`,
      [id, now],
    );
    return rows.length === 1;
  }

  /**
   * Which of the sessions have a grant that stands, covers the caller and is sealed to a key that somebody has.
   * @param heldKeys thumbprints of the service's own
   */
  async readableSessions(
    caller: ContentCaller,
    ids: readonly string[],
    heldKeys: string[],
    now: Date,
  ): Promise<Set<string>> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `SELECT DISTINCT g.session_id AS id FROM ${GRANTS}
        WHERE g.account_id = $1 AND ${COVERS} AND g.session_id = ANY($4)
          AND (g.recipient IS NOT NULL OR g.recipient_thumbprint = ANY($5)) AND ${stands('$6::timestamptz')}`,
      [caller.accountId, caller.appId, caller.tokenId, ids, heldKeys, now],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The same of artifacts; one under its session's data key is covered by the session's grants. */
  async readableArtifacts(
    caller: ContentCaller,
    ids: readonly string[],
    heldKeys: string[],
    now: Date,
  ): Promise<Set<string>> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `SELECT a.id FROM artifacts a LEFT JOIN sessions s ON s.id = a.session_id AND s.data_key_id = a.data_key_id
        WHERE a.account_id = $1 AND a.id = ANY($4) AND EXISTS (
          SELECT FROM ${GRANTS} WHERE g.account_id = $1 AND ${COVERS}
             AND (g.artifact_id = a.id OR g.session_id = s.id)
             AND (g.recipient IS NOT NULL OR g.recipient_thumbprint = ANY($5)) AND ${stands('$6::timestamptz')})`,
      [caller.accountId, caller.appId, caller.tokenId, ids, heldKeys, now],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Keys of the service that standing grants are sealed to, with how many there are of each. */
  serviceKeysInUse(now: Date): Promise<{ thumbprint: string; kid: string; grants: number }[]> {
    return this.unitOfWork.query(
      `SELECT g.recipient_thumbprint AS thumbprint, min(g.recipient_key_id) AS kid, count(*)::int AS grants
         FROM ${GRANTS} WHERE g.recipient IS NULL AND ${stands('$1::timestamptz')} GROUP BY g.recipient_thumbprint`,
      [now],
    );
  }

  scan(accountId: string): AsyncGenerator<KeyGrantRow> {
    return scan(this.unitOfWork, 'SELECT g.* FROM key_grants g WHERE g.account_id = $1', 'g', accountId);
  }
}
