import { Injectable } from '@nestjs/common';
import type { Page } from '../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork, type Bind, type Filters } from '../persistence';
import type { ArtifactRow } from './artifact-record';
import { ArtifactEntity } from './artifact.entity';
import type { ArtifactQuery } from './artifacts.dto';

const METADATA = `a.id, a.account_id, a.session_id, a.host_device_id, a.tag, a.media_type, a.data_key_id,
  a.sealed_data_key, a.version, a.size_bytes, a.created_at, a.updated_at`;

export type ArtifactRowWithContent = ArtifactRow & { content: string };

export interface ArtifactKey {
  sessionId: string | null;
  /** The session whose data key it has, so that who may read that may read it. */
  keySessionId: string | null;
}

@Injectable()
export class ArtifactsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** False when the account has an artifact of this tag already. */
  async insert(artifact: ArtifactEntity): Promise<boolean> {
    const result = await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(ArtifactEntity)
      .values(artifact)
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  find(accountId: string, id: string): Promise<ArtifactRow | undefined> {
    return this.one(METADATA, 'a.account_id = $1 AND a.id = $2', [accountId, id]);
  }

  findWithContent(accountId: string, id: string): Promise<ArtifactRowWithContent | undefined> {
    return this.one('a.*', 'a.account_id = $1 AND a.id = $2', [accountId, id]);
  }

  /** Its session, and that session again where it has the session's data key. */
  async findKey(accountId: string, id: string): Promise<ArtifactKey | undefined> {
    const [row] = await this.unitOfWork.query<ArtifactKey>(
      `SELECT a.session_id AS "sessionId", s.id AS "keySessionId" FROM artifacts a
         LEFT JOIN sessions s ON s.id = a.session_id AND s.data_key_id = a.data_key_id
        WHERE a.account_id = $1 AND a.id = $2`,
      [accountId, id],
    );
    return row;
  }

  findByTag(accountId: string, tag: string): Promise<ArtifactRowWithContent | undefined> {
    return this.one('a.*', 'a.account_id = $1 AND a.tag = $2', [accountId, tag]);
  }

  /** Nobody else changes it until the transaction ends. */
  lock(accountId: string, id: string): Promise<ArtifactRow | undefined> {
    return this.one(METADATA, 'a.account_id = $1 AND a.id = $2 FOR UPDATE', [accountId, id]);
  }

  async replaceContent(id: string, version: number, content: string, size: number, at: Date): Promise<void> {
    await this.unitOfWork.manager.update(ArtifactEntity, { id }, { version, content, sizeBytes: size, updatedAt: at });
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(ArtifactEntity, { id });
  }

  /** A few at a time: each holds up to 8 MiB. */
  scan(accountId: string): AsyncGenerator<ArtifactRowWithContent> {
    return scan(this.unitOfWork, 'SELECT a.* FROM artifacts a WHERE a.account_id = $1', 'a', accountId, 2);
  }

  page(accountId: string, query: ArtifactQuery): Promise<Page<ArtifactRow>> {
    return this.pager.page<ArtifactRow>(list(accountId, null, METADATA), query);
  }

  /** With ciphertext. @param hostDeviceId only those that this device hosts; null: all of the account */
  pageWithContent(
    accountId: string,
    hostDeviceId: string | null,
    query: ArtifactQuery,
  ): Promise<Page<ArtifactRowWithContent>> {
    return this.pager.page<ArtifactRowWithContent>(list(accountId, hostDeviceId, 'a.*'), query);
  }

  private async one<Row>(columns: string, where: string, parameters: unknown[]): Promise<Row | undefined> {
    const [row] = await this.unitOfWork.query<Row>(`SELECT ${columns} FROM artifacts a WHERE ${where}`, parameters);
    return row;
  }
}

function list(accountId: string, hostDeviceId: string | null, columns: string) {
  return {
    name: 'artifacts',
    owner: hostDeviceId ?? accountId,
    select: `SELECT ${columns} FROM artifacts a`,
    key: byCreation('a'),
    where: (filters: Filters, bind: Bind) => [
      `a.account_id = ${bind(accountId)}`,
      ...(hostDeviceId ? [`a.host_device_id = ${bind(hostDeviceId)}`] : []),
      ...conditions(filters, bind),
    ],
  };
}

function conditions(filters: Filters, bind: Bind): string[] {
  const all: Record<string, (value: string | number) => string> = {
    sessionId: (value) => `a.session_id = ${bind(value)}`,
    mediaType: (value) => `a.media_type = ${bind(value)}`,
    createdSince: (value) => `a.created_at >= ${bind(new Date(value))}::timestamptz`,
    updatedSince: (value) => `a.updated_at >= ${bind(new Date(value))}::timestamptz`,
  };
  return Object.entries(filters).map(([name, value]) => all[name]!(value));
}
