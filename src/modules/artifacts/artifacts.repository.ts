import { Injectable } from '@nestjs/common';
import type { Page } from '../../common/pages';
import {
  creationOrderKey,
  KeysetPageReader,
  selectEntityColumns,
  streamRows,
  UnitOfWork,
  buildPageSizeColumns,
  type FilterConditions,
  type KeysetListDefinition,
  type RowOf,
} from '../../core/database';
import type { ArtifactRow } from './artifact.response.dto';
import { ArtifactEntity } from './artifact.entity';
import type { ListArtifactsQueryDto } from './artifacts.dto';

const ARTIFACT_METADATA_COLUMNS = selectEntityColumns(ArtifactEntity, 'a', ['content']);

export type ArtifactRowWithContent = RowOf<ArtifactEntity>;

export interface ArtifactKeyOrigin {
  sessionId: string | null;
  /** Session whose data key encrypts the artifact, if any. Grants of that session cover the artifact. */
  keySessionId: string | null;
}

@Injectable()
export class ArtifactsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Returns false when the account already has an artifact with this tag. */
  insert(artifact: ArtifactEntity): Promise<boolean> {
    return this.unitOfWork.insertOrIgnore(ArtifactEntity, artifact);
  }

  find(accountId: string, id: string): Promise<ArtifactRow | undefined> {
    return this.queryOne(ARTIFACT_METADATA_COLUMNS, 'a.account_id = $1 AND a.id = $2', [accountId, id]);
  }

  findWithContent(accountId: string, id: string): Promise<ArtifactRowWithContent | undefined> {
    return this.queryOne('a.*', 'a.account_id = $1 AND a.id = $2', [accountId, id]);
  }

  /** Returns the artifact's session, and whether it uses that session's data key. */
  async findKeyOrigin(accountId: string, id: string): Promise<ArtifactKeyOrigin | undefined> {
    const [row] = await this.unitOfWork.queryRows<ArtifactKeyOrigin>(
      `SELECT a.session_id AS "sessionId", s.id AS "keySessionId" FROM artifacts a
         LEFT JOIN sessions s ON s.id = a.session_id AND s.data_key_id = a.data_key_id
        WHERE a.account_id = $1 AND a.id = $2`,
      [accountId, id],
    );
    return row;
  }

  async existsByTag(accountId: string, tag: string): Promise<boolean> {
    return (await this.queryOne('1', 'a.account_id = $1 AND a.tag = $2', [accountId, tag])) !== undefined;
  }

  findByTag(accountId: string, tag: string): Promise<ArtifactRowWithContent | undefined> {
    return this.queryOne('a.*', 'a.account_id = $1 AND a.tag = $2', [accountId, tag]);
  }

  /** Locks the artifact until the transaction ends. */
  lockArtifact(accountId: string, id: string): Promise<ArtifactRow | undefined> {
    return this.queryOne(ARTIFACT_METADATA_COLUMNS, 'a.account_id = $1 AND a.id = $2 FOR UPDATE', [accountId, id]);
  }

  async replaceContent(
    id: string,
    next: Pick<ArtifactEntity, 'version' | 'content' | 'sizeBytes' | 'ownBytes' | 'updatedAt'>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(ArtifactEntity, { id }, next);
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(ArtifactEntity, { id });
  }

  /** Reads a few artifacts at a time, because each contains up to 8 MiB. */
  scanByAccount(accountId: string): AsyncGenerator<ArtifactRowWithContent> {
    const sql = 'SELECT a.* FROM artifacts a WHERE a.account_id = $1';
    return streamRows(this.unitOfWork, sql, 'a', accountId, { batchSize: 2 });
  }

  findPage(accountId: string, query: ListArtifactsQueryDto): Promise<Page<ArtifactRow>> {
    return this.pager.readPage<ArtifactRow>(buildArtifactList(accountId, null, ARTIFACT_METADATA_COLUMNS), query);
  }

  /** Lists artifacts with ciphertext. @param hostDeviceId host to filter by; null for all artifacts */
  findPageWithContent(
    accountId: string,
    hostDeviceId: string | null,
    query: ListArtifactsQueryDto,
  ): Promise<Page<ArtifactRowWithContent>> {
    const columns = `${selectEntityColumns(ArtifactEntity, 'a')}, ${buildPageSizeColumns('a.size_bytes')}`;
    const keysetList = buildArtifactList(accountId, hostDeviceId, columns);
    return this.pager.readPage<ArtifactRowWithContent>({ ...keysetList, isSizeLimited: true }, query);
  }

  private async queryOne<Row>(columns: string, where: string, parameters: unknown[]): Promise<Row | undefined> {
    const [row] = await this.unitOfWork.queryRows<Row>(`SELECT ${columns} FROM artifacts a WHERE ${where}`, parameters);
    return row;
  }
}

function buildArtifactList(
  accountId: string,
  hostDeviceId: string | null,
  columns: string,
): KeysetListDefinition<ArtifactRow> {
  return {
    name: 'artifacts',
    ownerId: hostDeviceId ?? accountId,
    select: `SELECT ${columns} FROM artifacts a`,
    key: creationOrderKey('a'),
    where: (_, bind) => [
      `a.account_id = ${bind(accountId)}`,
      ...(hostDeviceId ? [`a.host_device_id = ${bind(hostDeviceId)}`] : []),
    ],
    filterConditions: ARTIFACT_FILTER_CONDITIONS,
  };
}

const ARTIFACT_FILTER_CONDITIONS: FilterConditions = {
  sessionId: (value, bind) => `a.session_id = ${bind(value)}`,
  mediaType: (value, bind) => `a.media_type = ${bind(value)}`,
  createdSince: (value, bind) => `a.created_at >= ${bind(new Date(value))}::timestamptz`,
  updatedSince: (value, bind) => `a.updated_at >= ${bind(new Date(value))}::timestamptz`,
};
