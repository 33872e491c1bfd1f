import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Content } from '@external-api/protocol/portable';
import { truncateText } from '@external-api/protocol/portable';
import { DiffView } from '../components/diff-view';
import { showInvisibleCharacters } from '../lib/visible-text';
import { buildFileName, choosePreview, formatBytes } from './artifact-files';

/** More text is shown only on request. */
const MAX_SHOWN_CHARACTERS = 262_144;
/** Time for a browser to begin a download. */
const DOWNLOAD_MS = 60_000;

/** Shows text and images. HTML and SVG, which can contain scripts, are shown as text. */
export function ArtifactPreview({ content, tag }: { content: Content; tag: string }) {
  const preview = useMemo(() => choosePreview(content), [content]);
  return (
    <section class="preview" aria-label="Content">
      <div class="preview-head">
        <h2>Content</h2>
        <button type="button" class="secondary" onClick={() => downloadContent(content, tag)}>
          Download
        </button>
      </div>
      {preview.kind === 'text' && <TextPreview text={preview.text} isDiff={preview.isDiff} />}
      {preview.kind === 'image' && <ImagePreview bytes={content.bytes} mediaType={preview.mediaType} />}
      {preview.kind === 'false-image' && (
        <p class="notice problem">
          Its type is {showInvisibleCharacters(content.mediaType)}, but its content is not such an image. It is not
          shown. Take care if you download it.
        </p>
      )}
      {preview.kind === 'none' && <p class="notice">There is no preview of this type. Download it to open it.</p>}
    </section>
  );
}

function TextPreview({ text, isDiff }: { text: string; isDiff: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN_CHARACTERS;
  const shown = useMemo(
    () => showInvisibleCharacters(isWhole ? text : truncateText(text, MAX_SHOWN_CHARACTERS)),
    [text, isWhole],
  );
  if (text === '') return <p>The content is empty.</p>;
  return (
    <>
      {isDiff ? (
        <DiffView diff={shown} />
      ) : (
        <pre class="text" tabIndex={0} dir="ltr">
          {shown}
        </pre>
      )}
      {isLong && !isWhole && (
        <p>
          {`This is the beginning, ${formatBytes(MAX_SHOWN_CHARACTERS)} of ${formatBytes(text.length)}. `}
          <button type="button" class="secondary" onClick={() => setWhole(true)}>
            Show all
          </button>
        </p>
      )}
    </>
  );
}

/** Image in a frame without scripts and origin, so that a flaw of a decoder or of its type can't reach the page. */
function ImagePreview({ bytes, mediaType }: { bytes: Uint8Array; mediaType: string }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const created = createBlobUrl(bytes, mediaType);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bytes]);
  return url ? <iframe class="image-preview" title="Image" sandbox="" referrerpolicy="no-referrer" src={url} /> : null;
}

function downloadContent({ mediaType, bytes }: Content, tag: string): void {
  const link = document.createElement('a');
  link.href = createBlobUrl(bytes, 'application/octet-stream');
  link.download = buildFileName(tag, mediaType);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS);
}

const createBlobUrl = (bytes: Uint8Array, type: string): string =>
  URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
