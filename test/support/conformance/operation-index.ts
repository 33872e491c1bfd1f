import type { OpenApiNode } from './strict-document';

/** Path of the server of the External API's document. */
export const API_ROOT = '/external/v1';

/** Path of the document, as a pattern for request paths. */
interface PathPattern {
  path: string;
  pattern: RegExp;
  item: OpenApiNode;
}

/** Finds the operations of a document by method and path. */
export class OperationIndex {
  private readonly paths: PathPattern[];

  /** @param root path of the document's server, without a slash at its end */
  constructor(document: OpenApiNode, root: string) {
    this.paths = Object.entries<OpenApiNode>(document.paths)
      // An operation with its own server is at the root of the host.
      .map(([path, item]) => ({ path, pattern: toPathPattern(item.servers ? path : root + path), item }))
      // Literal paths take precedence over paths with a placeholder.
      .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
  }

  findOperation(path: string): { path: string; item: OpenApiNode } | undefined {
    return this.paths.find(({ pattern }) => pattern.test(path));
  }
}

function toPathPattern(path: string): RegExp {
  const segments = path.split('/').map((segment) => (/^\{.+\}$/.test(segment) ? '[^/]+' : escapePattern(segment)));
  return new RegExp(`^${segments.join('/')}$`);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
