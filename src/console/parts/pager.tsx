interface PagerProps {
  /** Address of the list's first page, with its filters. */
  path: string;
  /** The cursor that the page was asked with. */
  cursor: string | undefined;
  nextCursor: string | null;
}

/** From page to page of a long list; nothing where there is only one. */
export function Pager({ path, cursor, nextCursor }: PagerProps) {
  if (cursor === undefined && nextCursor === null) return null;
  const sign = path.includes('?') ? '&' : '?';
  return (
    <div class="pager">
      {cursor !== undefined && (
        <a class="button secondary" href={path}>
          Newest
        </a>
      )}
      {nextCursor !== null && (
        <a class="button secondary" rel="next" href={`${path}${sign}cursor=${encodeURIComponent(nextCursor)}`}>
          Older
        </a>
      )}
    </div>
  );
}
