import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../common/project-root';
import { Config } from '../../core/config';
import { EVENTS, type EventType } from '../../core/events';
import { buildExample } from './example';
import { createSchemaRef, getComponentName, type SchemasByName } from './json-schema';
import { withServerUrl } from './servers';

/** Description of an API as it is served. */
export interface ServedDocument {
  text: string;
  /** Weak validator for all content codings (RFC 9110 §8.8.1). */
  etag: string;
}

/** Committed file of each document, relative to the project root. */
const EXTERNAL_API_FILE = 'openapi.json';
const DEVICE_API_FILE = join('docs', 'protocol', 'device-openapi.json');

/** The committed documents with this service's public URL, read once at startup. */
@Injectable()
export class OpenApiDocumentService {
  readonly externalApi: ServedDocument;
  readonly deviceApi: ServedDocument;
  /** AsyncAPI document of the messages of device sockets, which is written by hand. */
  readonly asyncApi = toServedDocument(readFileSync(join(PROJECT_ROOT, 'docs', 'protocol', 'asyncapi.json'), 'utf8'));
  private readonly schemas: SchemasByName;

  constructor({ publicUrl }: Config) {
    const externalApi = readCommittedDocument(EXTERNAL_API_FILE);
    this.schemas = (externalApi.components as { schemas: SchemasByName }).schemas;
    this.externalApi = toServedDocument(JSON.stringify(withServerUrl(publicUrl, externalApi)));
    const deviceApi = readCommittedDocument(DEVICE_API_FILE);
    this.deviceApi = toServedDocument(JSON.stringify(withServerUrl(publicUrl, deviceApi)));
  }

  /** Returns the data of a test event: the example of its schema, with what its manifest says otherwise. */
  buildEventSample(type: EventType): object {
    const { data, sample } = EVENTS[type];
    const example = buildExample(createSchemaRef(getComponentName(data)), this.schemas, type) as object;
    return { ...example, ...sample };
  }
}

function toServedDocument(text: string): ServedDocument {
  return { text, etag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
}

function readCommittedDocument(path: string): Record<string, unknown> {
  const file = join(PROJECT_ROOT, path);
  if (!existsSync(file)) throw new Error(`${path} is missing. Create it with "npm run generate".`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}
