import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '@external-api/protocol/portable';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../artifacts/artifact-files';
import { showInvisibleCharacters } from '../lib/visible-text';

const MAX_SIZE = `${MAX_ATTACHMENT_BYTES / 1_024} KiB`;

interface AttachedFilesProps {
  files: readonly File[];
  onRemove: (file: File) => void;
}

/** Files that the next message comes with, and how many more there may be. */
export function AttachedFiles({ files, onRemove }: AttachedFilesProps) {
  if (files.length === 0) return null;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <div class="attached-files">
      <ul aria-label="Attached files">
        {files.map((file) => {
          const name = showInvisibleCharacters(file.name);
          return (
            <li>
              <bdi>{name}</bdi> <small>{formatBytes(file.size)}</small>
              <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={() => onRemove(file)}>
                ✕
              </button>
            </li>
          );
        })}
      </ul>
      <small>
        {`${files.length} of at most ${MAX_ATTACHMENTS} files, `}
        {`${formatBytes(bytes)} of ${MAX_SIZE} together`}
      </small>
    </div>
  );
}

/**
 * Takes files that are dropped anywhere on the page, which the browser would open instead otherwise. Returns whether
 * files are dragged over it.
 */
export function useDroppedFiles(onDrop: (files: Iterable<File>) => void): boolean {
  const [isDropping, setDropping] = useState(false);
  const handler = useRef(onDrop);
  handler.current = onDrop;
  useEffect(() => {
    const closing = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void) =>
      addEventListener(type, handle, { signal: closing.signal });
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    listen('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDropping(true);
    });
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setDropping(false));
    listen('drop', (event) => {
      setDropping(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      handler.current([...event.dataTransfer!.files]);
    });
    return () => closing.abort();
  }, []);
  return isDropping;
}
