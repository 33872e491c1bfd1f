/** Progressive enhancement of every page of the documentation. The pages also work without it. */
import { offerCopying } from '../../../common/html/browser/copy-buttons';
import { markCurrentHeading, showCurrentEntry } from './page/navigation';
import { makeOverflowingCodeFocusable } from './page/scrolling-code';
import { createTabGroups } from './page/tab-groups';
import { offerSearch } from './search/search-dialog';

createTabGroups(document);
offerCopying(document);
makeOverflowingCodeFocusable(document);
showCurrentEntry();
markCurrentHeading();
offerSearch();

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
