import type { Json } from './strict-document';

/** A path of the document as requests match it. */
interface PathPattern {
  path: string;
  pattern: RegExp;
  item: Json;
}

/** The operations of a document by method and path. */
export class Operations {
  private readonly paths: PathPattern[];

  constructor(document: Json) {
    this.paths = Object.entries<Json>(document.paths)
      .map(([path, item]) => ({ path, pattern: toPattern(path), item }))
      // A literal path before one with a placeholder in its place.
      .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
  }

  find(path: string): { path: string; item: Json } | undefined {
    return this.paths.find(({ pattern }) => pattern.test(path));
  }
}

function toPattern(path: string): RegExp {
  const segments = path.split('/').map((segment) => (/^\{.+\}$/.test(segment) ? '[^/]+' : escape(segment)));
  return new RegExp(`^${segments.join('/')}/?$`, 'i');
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
