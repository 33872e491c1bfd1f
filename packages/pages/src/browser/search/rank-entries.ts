/** Entry of the index (site/search-index.ts): URL, heading, page behind its group, and text. */
export interface IndexEntry {
  u: string;
  h: string;
  p: string;
  t: string;
}

export interface RankedEntry {
  entry: IndexEntry;
  /** Part of the text around the first match. */
  excerpt: string;
}

const MAX_RESULTS = 20;
const EXCERPT_LENGTH = 140;
const PAGE_SEPARATOR = ' › ';
/** Weights of groups that say the same as the guide for fewer readers. All others count fully. */
const GROUP_WEIGHTS = new Map([
  ['API reference', 0.75],
  ['Protocol', 0.6],
  ['Device API reference', 0.55],
]);

/**
 * Returns the entries that contain every term of the query, those that match in the heading first. Of similar matches,
 * the guide precedes the references and the protocol, and a page precedes a section.
 */
export function rankEntries(entries: readonly IndexEntry[], query: string): RankedEntry[] {
  const terms = splitTerms(query);
  if (terms.length === 0) return [];
  const phrase = query.trim().toLowerCase();
  return entries
    .map((entry) => ({ entry, score: scoreEntry(entry, terms, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => ({ entry, excerpt: cutExcerpt(entry.t, terms) }));
}

export function splitTerms(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '');
}

/** Returns 0 for an entry that lacks a term. */
function scoreEntry({ h, p, t }: IndexEntry, terms: readonly string[], phrase: string): number {
  const [heading, page, text] = [h.toLowerCase(), p.toLowerCase(), t.toLowerCase()];
  let score = heading === phrase ? 40 : heading.startsWith(phrase) ? 20 : 0;
  if (terms.length > 1 && text.includes(phrase)) score += 8;
  for (const term of terms) {
    const points = scoreTerm(heading, term, 20) + scoreTerm(page, term, 5) + scoreTerm(text, term, 2);
    if (points === 0) return 0;
    score += points;
  }
  if (score >= 60 && !p.includes(PAGE_SEPARATOR)) score += 10;
  return score * (GROUP_WEIGHTS.get(p.split(PAGE_SEPARATOR)[0]!) ?? 1);
}

/** A term counts twice at the start of a word. */
function scoreTerm(text: string, term: string, points: number): number {
  const index = text.indexOf(term);
  if (index < 0) return 0;
  return index === 0 || ` ${text}`.includes(` ${term}`) ? points * 2 : points;
}

function cutExcerpt(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const matches = terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0);
  const first = matches.length > 0 ? Math.min(...matches) : 0;
  const start = first < EXCERPT_LENGTH / 2 ? 0 : text.indexOf(' ', first - EXCERPT_LENGTH / 2) + 1;
  const cut = start + EXCERPT_LENGTH;
  const end = cut < text.length ? Math.max(text.lastIndexOf(' ', cut), start) : text.length;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
