import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** Folder of the built files, which have source maps beside them. */
const DIST = join(__dirname, '..', '..');
const POSITION = /(\/[^():]+\.js):(\d+):(\d+)/;

/** Source maps by the path of the built file; null for files without one. */
const sourceMaps = new Map<string, SourceMap | null>();

/**
 * Stack traces name files and lines of src/. Node's own support parses the maps of all modules as they are loaded, a
 * sixth of the CPU time of a start; this reads those that a trace needs. Programs import this first.
 */
Error.prepareStackTrace = (error, callSites: { toString(): string }[]) => {
  const frames = callSites.map((callSite) => `\n    at ${callSite.toString().replace(POSITION, toSourcePosition)}`);
  return formatHeading(error) + frames.join('');
};

/** Formats the line above the frames as V8 does. An error may have a `toString` that throws. */
function formatHeading(error: Error): string {
  try {
    return String(error);
  } catch {
    return '<error>';
  }
}

function toSourcePosition(position: string, path: string, line: string, column: string): string {
  if (!path.startsWith(DIST)) return position;
  const entry = findSourceMap(path)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !('originalSource' in entry)) return position;
  const source = resolve(dirname(path), entry.originalSource);
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function findSourceMap(path: string): SourceMap | null {
  const known = sourceMaps.get(path);
  if (known !== undefined) return known;
  const sourceMap = readSourceMap(path);
  sourceMaps.set(path, sourceMap);
  return sourceMap;
}

/** A trace without a map still helps, so that nothing here fails. */
function readSourceMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}
