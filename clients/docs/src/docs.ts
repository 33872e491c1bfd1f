/** Progressive enhancement of every page of the documentation. The pages also work without it. */
import {
  fetchIndex,
  offerCopying,
  offerSearch,
  rankEntries,
  SearchDialog,
  type IndexEntry,
} from '@external-api/pages/browser';
import { markCurrentHeading, showCurrentEntry } from './page/navigation';
import { makeOverflowingCodeFocusable } from './page/scrolling-code';
import { createTabGroups } from './page/tab-groups';

createTabGroups(document);
offerCopying(document);
makeOverflowingCodeFocusable(document);
showCurrentEntry();
markCurrentHeading();
offerDocsSearch();

// Escape and a click outside close the menu of narrow screens.
const menu = document.querySelector<HTMLDetailsElement>('.narrow-menu');
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !menu?.open) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});
addEventListener('click', ({ target }) => {
  if (menu?.open && target instanceof Node && !menu.contains(target)) menu.open = false;
});

function offerDocsSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('button[data-search]');
  if (!button) return;
  let entries: IndexEntry[] | undefined;
  const dialog = new SearchDialog({
    label: 'Search the documentation',
    hint: 'Type to search pages, operations and error codes.',
    load: async () => void (entries ??= await fetchIndex(button.dataset.search!)),
    findEntries: (query) => rankEntries(entries ?? [], query),
  });
  offerSearch(button, () => dialog.open());
}
