import { getFileNameOfUri } from '../artifacts/file-name';
import { isText, type JsonObject } from '../untrusted-values';

/** A picture, a recording or another file in a block of content. */
export interface AgentFile {
  /** What the agent calls it, safe to show and to use; '' without a name. */
  name: string;
  bytes: Buffer;
}

/** Takes a file, and returns the text that stands for it; undefined if nobody takes files. */
export type FileNamer = (file: AgentFile) => string | undefined;

/** Reads the file of a block of content; undefined if it has none. */
export function readBlockFile({ type, data, uri, resource }: JsonObject): AgentFile | undefined {
  if (type === 'image' || type === 'audio') return createFile(uri, data, 'base64');
  if (type !== 'resource' || typeof resource !== 'object' || resource === null) return undefined;
  const { uri: resourceUri, blob, text } = resource as JsonObject;
  return createFile(resourceUri, blob, 'base64') ?? createFile(resourceUri, text, 'utf8');
}

function createFile(uri: unknown, data: unknown, encoding: BufferEncoding): AgentFile | undefined {
  if (!isText(data) || data === '') return undefined;
  return { name: isText(uri) ? getFileNameOfUri(uri) : '', bytes: Buffer.from(data, encoding) };
}
