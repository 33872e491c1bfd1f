import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './dockerfile';

const DOCUMENTS = ['openapi.json', join('docs', 'protocol', 'device-openapi.json')];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface OpenApiOperation {
  parameters?: { name?: string }[];
  responses: Record<string, { content?: object }>;
}

interface OpenApiDocument {
  servers: [{ url: string }];
  paths: Record<string, Record<string, OpenApiOperation>>;
}

export interface DocumentedOperation {
  /** In upper case. */
  method: string;
  /** From the root of the host, with `{name}` for each parameter. */
  path: string;
  /** Whether a device answers the call. */
  isRelayed: boolean;
  /** Whether the call waits for somebody else: a device, a change of a record, or events. */
  isWaiting: boolean;
}

/** Returns the operations of both OpenAPI documents. Only relayed ones can time out. */
export function readOperations(): DocumentedOperation[] {
  return DOCUMENTS.flatMap((file) => {
    const { servers, paths } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, file), 'utf8')) as OpenApiDocument;
    const prefix = servers[0].url.replace(/\/$/, '');
    return Object.entries(paths).flatMap(([path, operations]) =>
      METHODS.filter((name) => operations[name]).map((name) => {
        const { parameters = [], responses } = operations[name]!;
        const isRelayed = '504' in responses;
        const waitsForChange = parameters.some((parameter) => parameter.name === 'waitMs');
        const isStream = 'text/event-stream' in (responses['200']?.content ?? {});
        const isWaiting = isRelayed || waitsForChange || isStream;
        return { method: name.toUpperCase(), path: prefix + path, isRelayed, isWaiting };
      }),
    );
  });
}
