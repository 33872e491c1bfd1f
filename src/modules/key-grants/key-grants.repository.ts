import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../core/database';
import type { ContentCaller } from '../sessions';
import type { KeyGrantRow } from './key-grant.response.dto';
import { KeyGrantEntity } from './key-grant.entity';

/** Resource of a grant: a session or an artifact. */
export type GrantedResource = { sessionId: string; artifactId?: never } | { artifactId: string; sessionId?: never };

/** Grants with their tokens. A join, because for EXISTS PostgreSQL may hash all tokens. */
const GRANTS_WITH_TOKEN = 'key_grants g LEFT JOIN external_tokens t ON t.id = g.token_id';

/** Grant that covers a caller, to an available or missing key of the service or to the caller's own key. */
export type CoveringGrant = KeyGrantRow & { kind: 'service' | 'missing' | 'caller' };

/** A grant is active until it or its token expires or is revoked. @param now placeholder of the current time */
const buildActiveGrantCondition = (now: string) => `(g.expires_at IS NULL OR g.expires_at > ${now})
  AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now})`;

/** Matches the caller against the grant's token or app, or without both any personal access token of the account. */
const COVERS_CALLER_CONDITION = `CASE WHEN $2::text IS NULL
  THEN g.app_id IS NULL AND (g.token_id IS NULL OR g.token_id = $3)
  ELSE g.app_id = $2 END`;

@Injectable()
export class KeyGrantsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  async insert(grant: KeyGrantEntity): Promise<KeyGrantRow> {
    await this.unitOfWork.manager.insert(KeyGrantEntity, grant);
    const [row] = await this.unitOfWork.queryRows<KeyGrantRow>('SELECT * FROM key_grants WHERE id = $1', [grant.id]);
    return row!;
  }

  /** Counts grants of the account and of the resource, including inactive grants that are not deleted yet. */
  async countGrants(accountId: string, { sessionId, artifactId }: GrantedResource) {
    const [row] = await this.unitOfWork.queryRows<{ ofAccount: number; ofResource: number }>(
      `SELECT count(*)::int AS "ofAccount",
              count(*) FILTER (WHERE session_id = $2 OR artifact_id = $3)::int AS "ofResource"
         FROM key_grants WHERE account_id = $1`,
      [accountId, sessionId ?? null, artifactId ?? null],
    );
    return row!;
  }

  /** Deletes grants of the account that have expired or whose token is no longer active. */
  async deleteInactive(accountId: string, now: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `DELETE FROM key_grants WHERE account_id = $1 AND id NOT IN (
         SELECT g.id FROM ${GRANTS_WITH_TOKEN}
          WHERE g.account_id = $1 AND ${buildActiveGrantCondition('$2::timestamptz')})`,
      [accountId, now],
    );
  }

  /**
   * Finds active grants for the same recipient, token and app, newest first. All keys of the service count as one
   * recipient. More than one grant exists only in data from before a new grant replaced an earlier one.
   */
  findByRecipient(grant: KeyGrantEntity, now: Date): Promise<KeyGrantRow[]> {
    return this.unitOfWork.queryRows<KeyGrantRow>(
      `SELECT * FROM key_grants g
        WHERE g.account_id = $1 AND (g.session_id = $2 OR g.artifact_id = $3)
          AND (g.recipient IS NULL) = $4 AND ($4 OR g.recipient_thumbprint = $5)
          AND g.token_id IS NOT DISTINCT FROM $6 AND g.app_id IS NOT DISTINCT FROM $7
          AND (g.expires_at IS NULL OR g.expires_at > $8::timestamptz)
        ORDER BY g.created_at DESC, g.id DESC`,
      [
        grant.accountId,
        grant.sessionId,
        grant.artifactId,
        grant.recipient === null,
        grant.recipientThumbprint,
        grant.tokenId,
        grant.appId,
        now,
      ],
    );
  }

  /** Replaces sealed key and expiry. Does not change id and creation time. */
  async replaceSealedKey(id: string, grant: KeyGrantEntity): Promise<KeyGrantRow> {
    const { sealedKey, expiresAt, recipient, recipientKeyId, recipientThumbprint } = grant;
    const [row] = await this.unitOfWork.queryRows<KeyGrantRow>(
      `UPDATE key_grants SET sealed_key = $2, expires_at = $3, recipient = $4, recipient_key_id = $5,
              recipient_thumbprint = $6 WHERE id = $1 RETURNING *`,
      [id, sealedKey, expiresAt, recipient && JSON.stringify(recipient), recipientKeyId, recipientThumbprint],
    );
    return row!;
  }

  /** Lists active grants. */
  findActivePage(
    accountId: string,
    resource: GrantedResource,
    now: Date,
    query: PageQueryDto,
  ): Promise<Page<KeyGrantRow>> {
    const [column, id] = resource.sessionId
      ? (['session_id', resource.sessionId] as const)
      : (['artifact_id', resource.artifactId] as const);
    return this.pager.readPage<KeyGrantRow>(
      {
        name: 'key-grants',
        ownerId: id!,
        select: `SELECT g.* FROM ${GRANTS_WITH_TOKEN}`,
        key: creationOrderKey('g'),
        where: (_, bind) => [
          `g.account_id = ${bind(accountId)}`,
          `g.${column} = ${bind(id)}`,
          buildActiveGrantCondition(`${bind(now)}::timestamptz`),
        ],
      },
      query,
    );
  }

  /** Deletes a grant and returns it, or undefined when the resource has no grant with this id. */
  async delete(accountId: string, resource: GrantedResource, id: string): Promise<KeyGrantRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<KeyGrantRow>(
      `DELETE FROM key_grants WHERE account_id = $1 AND id = $2 AND (session_id = $3 OR artifact_id = $4)
       RETURNING *`,
      [accountId, id, resource.sessionId ?? null, resource.artifactId ?? null],
    );
    return row;
  }

  /** Deletes all grants of the accounts that are limited to the app. */
  async deleteByApp(appId: string, accountIds: string[]): Promise<KeyGrantRow[]> {
    return this.unitOfWork.queryRows<KeyGrantRow>(
      'DELETE FROM key_grants WHERE app_id = $1 AND account_id = ANY($2) RETURNING *',
      [appId, accountIds],
    );
  }

  /**
   * Returns the best grant of each kind among the active grants on the session or artifact that cover the caller. A
   * grant limited to the caller's token precedes one for all tokens; then the newest precedes.
   * @param heldThumbprints thumbprints of the service's available keys
   */
  findCoveringGrants(
    caller: ContentCaller,
    { sessionId, artifactId }: { sessionId: string | null; artifactId: string | null },
    heldThumbprints: string[],
    now: Date,
  ): Promise<CoveringGrant[]> {
    return this.unitOfWork.queryRows<CoveringGrant>(
      `SELECT DISTINCT ON (kind) g.*, kind FROM ${GRANTS_WITH_TOKEN},
          LATERAL (SELECT CASE WHEN g.recipient IS NOT NULL THEN 'caller'
                               WHEN g.recipient_thumbprint = ANY($6) THEN 'service' ELSE 'missing' END AS kind) k
        WHERE g.account_id = $1 AND ${COVERS_CALLER_CONDITION} AND (g.session_id = $4 OR g.artifact_id = $5)
          AND ${buildActiveGrantCondition('$7::timestamptz')}
        ORDER BY kind, g.token_id IS NULL, g.created_at DESC, g.id DESC`,
      [caller.accountId, caller.appId, caller.tokenId, sessionId, artifactId, heldThumbprints, now],
    );
  }

  async isGrantActive(id: string, now: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM ${GRANTS_WITH_TOKEN} WHERE g.id = $1 AND ${buildActiveGrantCondition('$2::timestamptz')}`,
      [id, now],
    );
    return rows.length === 1;
  }

  /**
   * Returns the sessions with an active grant that covers the caller and is sealed to an available key.
   * @param heldThumbprints thumbprints of the service's available keys
   */
  async findReadableSessionIds(
    caller: ContentCaller,
    ids: readonly string[],
    heldThumbprints: string[],
    now: Date,
  ): Promise<Set<string>> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT DISTINCT g.session_id AS id FROM ${GRANTS_WITH_TOKEN}
        WHERE g.account_id = $1 AND ${COVERS_CALLER_CONDITION} AND g.session_id = ANY($4)
          AND (g.recipient IS NOT NULL OR g.recipient_thumbprint = ANY($5))
          AND ${buildActiveGrantCondition('$6::timestamptz')}`,
      [caller.accountId, caller.appId, caller.tokenId, ids, heldThumbprints, now],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Like `findReadableSessionIds`, for artifacts. Grants of a session cover artifacts under its data key. */
  async findReadableArtifactIds(
    caller: ContentCaller,
    ids: readonly string[],
    heldThumbprints: string[],
    now: Date,
  ): Promise<Set<string>> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT a.id FROM artifacts a LEFT JOIN sessions s ON s.id = a.session_id AND s.data_key_id = a.data_key_id
        WHERE a.account_id = $1 AND a.id = ANY($4) AND EXISTS (
          SELECT FROM ${GRANTS_WITH_TOKEN} WHERE g.account_id = $1 AND ${COVERS_CALLER_CONDITION}
             AND (g.artifact_id = a.id OR g.session_id = s.id)
             AND (g.recipient IS NOT NULL OR g.recipient_thumbprint = ANY($5))
             AND ${buildActiveGrantCondition('$6::timestamptz')})`,
      [caller.accountId, caller.appId, caller.tokenId, ids, heldThumbprints, now],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the service keys that active grants are sealed to, with the number of grants of each. */
  findServiceKeysInUse(now: Date): Promise<{ thumbprint: string; kid: string; grants: number }[]> {
    return this.unitOfWork.queryRows(
      `SELECT g.recipient_thumbprint AS thumbprint, min(g.recipient_key_id) AS kid, count(*)::int AS grants
         FROM ${GRANTS_WITH_TOKEN}
        WHERE g.recipient IS NULL AND ${buildActiveGrantCondition('$1::timestamptz')}
        GROUP BY g.recipient_thumbprint`,
      [now],
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<KeyGrantRow> {
    const sql = 'SELECT g.* FROM key_grants g WHERE g.account_id = $1';
    return streamRows(this.unitOfWork, sql, 'g', accountId, { key: ['id'] });
  }
}
