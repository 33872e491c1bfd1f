interface PagerProps {
  /** Path of the first page, including filters. */
  path: string;
  /** Cursor of the current page. */
  cursor: string | undefined;
  nextCursor: string | null;
}

/** Links to the newest and the next older page. Renders nothing if there is only one page. */
export function Pager({ path, cursor, nextCursor }: PagerProps) {
  if (cursor === undefined && nextCursor === null) return null;
  const separator = path.includes('?') ? '&' : '?';
  return (
    <div class="pager">
      {cursor !== undefined && (
        <a class="button secondary" href={path}>
          Newest
        </a>
      )}
      {nextCursor !== null && (
        <a class="button secondary" rel="next" href={`${path}${separator}cursor=${encodeURIComponent(nextCursor)}`}>
          Older
        </a>
      )}
    </div>
  );
}
